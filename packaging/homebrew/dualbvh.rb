# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors

class Dualbvh < Formula
  desc "Exact interference of rigid triangle meshes"
  homepage "https://dualbvh.example"
  url "https://dualbvh.example/releases/v0.2.0/dualbvh-0.2.0.tar.gz"
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  license "MIT"

  depends_on "cglm" => :build
  depends_on "cmake" => :build
  depends_on "pkgconf" => :build
  depends_on "jansson"
  depends_on "libzip"

  uses_from_macos "expat"
  uses_from_macos "zlib"

  def install
    system "cmake", "-S", ".", "-B", "build", *std_cmake_args, "-DBUILD_SHARED_LIBS=ON", "-DDUALBVH_OPENMP=OFF",
           "-DDUALBVH_TESTS=OFF", "-DDUALBVH_BENCH=OFF", "-DDUALBVH_WITH_ASSIMP=OFF",
           "-DDUALBVH_WITH_MESHOPTIMIZER=OFF", "-DDUALBVH_WITH_DRACO=OFF"
    system "cmake", "--build", "build"
    system "cmake", "--install", "build"
  end

  test do
    system bin/"dualbvh", "gen", "cube", "-o", "cube.stl"
    assert_match "triangles", shell_output("#{bin}/dualbvh info cube.stl")
  end
end
