# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors

"""The library for Conan 2, from the tree that this recipe lies in: conan create packaging/conan --build=missing"""

import os
import shutil

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, rmdir

required_conan_version = ">=2.0"


class DualbvhConan(ConanFile):
    name = "dualbvh"
    version = "0.2.0"
    description = "Exact interference of rigid triangle meshes: collision, clearance, distance, time of impact"
    license = "MIT"
    homepage = "https://dualbvh.example"
    topics = ("collision-detection", "interference", "triangle-mesh", "bvh", "distance")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "fPIC": [True, False], "openmp": [True, False]}
    default_options = {"shared": False, "fPIC": True, "openmp": False}

    def export_sources(self):
        root = os.path.join(self.recipe_folder, "..", "..")
        for name in ("CMakeLists.txt", "LICENSE"):
            shutil.copy(os.path.join(root, name), self.export_sources_folder)
        for folder in ("cmake", "include", "src"):  # not the whole tree, which may hold builds
            copy(self, "*", os.path.join(root, folder), os.path.join(self.export_sources_folder, folder))

    def config_options(self):
        if self.settings.os == "Windows":
            del self.options.fPIC

    def configure(self):
        if self.options.shared:
            self.options.rm_safe("fPIC")
        # The library is C; a compiler of C++ is asked for by programs that include dualbvh.hpp.
        self.settings.rm_safe("compiler.cppstd")
        self.settings.rm_safe("compiler.libcxx")

    def validate(self):
        if self.settings.compiler == "msvc":
            raise ConanInvalidConfiguration("dualbvh is compiled by GCC or Clang; MSVC links its shared library")

    def layout(self):
        cmake_layout(self)

    def generate(self):
        CMakeDeps(self).generate()
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["DUALBVH_OPENMP"] = bool(self.options.openmp)
        for part in ("IO", "TOOLS", "TESTS", "BENCH", "SHARED_TOO"):
            toolchain.cache_variables[f"DUALBVH_{part}"] = False
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        CMake(self).install()
        rmdir(self, os.path.join(self.package_folder, "lib", "cmake"))
        rmdir(self, os.path.join(self.package_folder, "lib", "pkgconfig"))

    def package_info(self):
        self.cpp_info.libs = ["dualbvh"]
        self.cpp_info.set_property("cmake_file_name", "dualbvh")
        self.cpp_info.set_property("cmake_target_name", "dualbvh::dualbvh")
        self.cpp_info.set_property("pkg_config_name", "dualbvh")
        if self.settings.os in ("Linux", "FreeBSD"):
            self.cpp_info.system_libs = ["m", "pthread"]
        if self.options.openmp and not self.options.shared:
            self.cpp_info.sharedlinkflags = self.cpp_info.exelinkflags = ["-fopenmp"]
