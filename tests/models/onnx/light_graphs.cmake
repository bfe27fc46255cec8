# The light graphs of the onnx wheel, for tests: real networks of a few kilobytes, Apache-2.0. The
# wheel is pinned by checksum, fetched once by pip, which only downloads, and these files alone are
# unpacked into the build tree. Without it the tests that need them say that they are skipped.
set(STINT_ONNX_WHEEL "" CACHE FILEPATH "An onnx 1.23.2 wheel at hand, for machines without a network")

set(stint_onnx_version 1.23.2)
set(stint_onnx_sha256 c03ecf6b835d136108eeaeeafbd0026fc7b3cf98661409fbc6b63d5a29361348)
set(stint_light_graphs ${PROJECT_BINARY_DIR}/onnx-${stint_onnx_version}/onnx/backend/test/data/light)

stint_unpack_wheel(stint_onnx_fault NAME onnx VERSION ${stint_onnx_version} SHA256 ${stint_onnx_sha256}
  PLATFORM manylinux_2_28_x86_64 WHEEL "${STINT_ONNX_WHEEL}"
  FOLDER ${PROJECT_BINARY_DIR}/onnx-${stint_onnx_version}
  PATTERNS "onnx/backend/test/data/light/*.onnx")
if(stint_onnx_fault)
  message(STATUS "onnx ${stint_onnx_version}: ${stint_onnx_fault}. Tests of its graphs are skipped; "
    "-DSTINT_ONNX_WHEEL=FILE gives one at hand")
  set(stint_light_graphs "")
endif()
