# IBM Z: big-endian.
include( ${CMAKE_CURRENT_LIST_DIR}/emulated.cmake )
emulated( s390x s390x s390x-linux-gnu )
