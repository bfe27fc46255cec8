# The light graphs of the onnx wheel, for tests: real networks of a few kilobytes, Apache-2.0. The
# wheel is pinned by checksum, fetched once by pip, which only downloads, and these files alone are
# unpacked into the build tree. Without it the tests that need them say that they are skipped.
set(STINT_ONNX_WHEEL "" CACHE FILEPATH "An onnx 1.23.2 wheel at hand, for machines without a network")

set(stint_onnx_version 1.23.2)
set(stint_onnx_sha256 c03ecf6b835d136108eeaeeafbd0026fc7b3cf98661409fbc6b63d5a29361348)
set(stint_light_graphs ${PROJECT_BINARY_DIR}/onnx-${stint_onnx_version}/onnx/backend/test/data/light)

function(stint_unpack_light_graphs folder)
  set(wheel "${STINT_ONNX_WHEEL}")
  if(NOT wheel)
    find_program(STINT_PYTHON python3)
    message(STATUS "Downloading onnx ${stint_onnx_version}, for its graphs")
    execute_process(
      COMMAND ${STINT_PYTHON} -m pip --disable-pip-version-check download --no-deps --retries 1
              --only-binary=:all: --platform manylinux_2_28_x86_64 --python-version 311
              --dest ${folder}/download onnx==${stint_onnx_version}
      OUTPUT_QUIET ERROR_QUIET)
    file(GLOB wheel ${folder}/download/onnx-*.whl)
  endif()
  set(found "no file")
  if(wheel AND EXISTS "${wheel}")
    file(SHA256 ${wheel} found)
  endif()
  if(found STREQUAL stint_onnx_sha256)
    file(ARCHIVE_EXTRACT INPUT ${wheel} DESTINATION ${folder}
      PATTERNS "onnx/backend/test/data/light/*.onnx")
  else()
    message(STATUS "onnx ${stint_onnx_version}: ${found}; expected the wheel of SHA-256 "
      "${stint_onnx_sha256}. Tests of its graphs are skipped; -DSTINT_ONNX_WHEEL=FILE gives one at hand")
  endif()
  file(REMOVE_RECURSE ${folder}/download)
endfunction()

if(NOT EXISTS ${stint_light_graphs})
  stint_unpack_light_graphs(${PROJECT_BINARY_DIR}/onnx-${stint_onnx_version})
endif()
if(NOT EXISTS ${stint_light_graphs})
  set(stint_light_graphs "")
endif()
