# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# For nixpkgs: pkgs/by-name/du/dualbvh/package.nix
{
  lib,
  stdenv,
  fetchurl,
  cmake,
  ninja,
  pkg-config,
  cglm,
  expat,
  jansson,
  libzip,
  zlib,
}:

stdenv.mkDerivation (finalAttrs: {
  pname = "dualbvh";
  version = "0.2.0";

  src = fetchurl {
    url = "https://dualbvh.example/releases/v${finalAttrs.version}/dualbvh-${finalAttrs.version}.tar.gz";
    sha256 = "0000000000000000000000000000000000000000000000000000000000000000";
  };

  nativeBuildInputs = [ cmake ninja pkg-config ];
  buildInputs = [ cglm expat jansson libzip zlib ];
  cmakeFlags = [
    (lib.cmakeBool "BUILD_SHARED_LIBS" (!stdenv.hostPlatform.isStatic))
    (lib.cmakeBool "DUALBVH_OPENMP" false)
    (lib.cmakeBool "DUALBVH_TESTS" false)
    (lib.cmakeBool "DUALBVH_BENCH" false)
    (lib.cmakeBool "DUALBVH_WITH_MESHOPTIMIZER" false)
    (lib.cmakeBool "DUALBVH_WITH_DRACO" false)
    (lib.cmakeBool "DUALBVH_WITH_ASSIMP" false)
  ];

  doInstallCheck = true;
  installCheckPhase = "$out/bin/dualbvh --version";

  meta = {
    description = "Exact interference of rigid triangle meshes";
    homepage = "https://dualbvh.example";
    license = lib.licenses.mit;
    mainProgram = "dualbvh";
    platforms = lib.platforms.unix;
  };
})
