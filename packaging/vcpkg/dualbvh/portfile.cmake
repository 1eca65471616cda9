# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors

vcpkg_download_distfile( ARCHIVE
    URLS "https://dualbvh.example/releases/v${VERSION}/dualbvh-${VERSION}.tar.gz"
    FILENAME "dualbvh-${VERSION}.tar.gz"
    SHA512 00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000
)
vcpkg_extract_source_archive( SOURCE_PATH ARCHIVE "${ARCHIVE}" )
vcpkg_check_features( OUT_FEATURE_OPTIONS FEATURE_OPTIONS FEATURES io DUALBVH_IO tools DUALBVH_TOOLS )
vcpkg_cmake_configure( SOURCE_PATH "${SOURCE_PATH}"
    OPTIONS ${FEATURE_OPTIONS} -DDUALBVH_OPENMP=OFF -DDUALBVH_TESTS=OFF -DDUALBVH_BENCH=OFF -DDUALBVH_SHARED_TOO=OFF -DDUALBVH_WITH_ASSIMP=OFF -DDUALBVH_WITH_MESHOPTIMIZER=OFF -DDUALBVH_WITH_DRACO=OFF
)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup( CONFIG_PATH lib/cmake/dualbvh )
vcpkg_fixup_pkgconfig()
if( "tools" IN_LIST FEATURES )
    vcpkg_copy_tools( TOOL_NAMES dualbvh AUTO_CLEAN )
endif()
file( REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share" )
vcpkg_install_copyright( FILE_LIST "${SOURCE_PATH}/LICENSE" )
