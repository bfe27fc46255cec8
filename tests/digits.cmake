# Handwritten digits, for a test that trains on real data and for the README's example: 1797 small
# images that come with scikit-learn (BSD-3-Clause). The wheel is pinned by checksum, fetched once by
# pip, which only downloads; this one file of it is unpacked, and written as IDX files into
# BUILD/digits. Without it the test that needs them says that it is skipped.
set(STINT_SKLEARN_WHEEL "" CACHE FILEPATH "A scikit-learn 1.9.1 wheel at hand, for machines without a network")

set(stint_sklearn ${PROJECT_BINARY_DIR}/scikit-learn-1.9.1)
set(stint_digits ${PROJECT_BINARY_DIR}/digits)

stint_unpack_wheel(stint_digits_fault NAME scikit-learn VERSION 1.9.1
  SHA256 52a0703bbc07ad27f560fa63fa68e4c54dd735bfbbf65b4dd3c225dc7547b6df
  PLATFORM manylinux_2_28_x86_64 WHEEL "${STINT_SKLEARN_WHEEL}"
  FOLDER ${stint_sklearn} PATTERNS "sklearn/datasets/data/digits.csv.gz")
if(NOT stint_digits_fault AND NOT EXISTS ${stint_digits}/t10k-labels-idx1-ubyte)
  find_program(STINT_PYTHON python3)
  execute_process(
    COMMAND ${STINT_PYTHON} ${PROJECT_SOURCE_DIR}/executor/data/digits_idx.py
            ${stint_sklearn}/sklearn/datasets/data/digits.csv.gz ${stint_digits}
    RESULT_VARIABLE stint_digits_exit OUTPUT_QUIET ERROR_QUIET)
  if(NOT stint_digits_exit EQUAL 0)
    set(stint_digits_fault "digits_idx.py failed")
  endif()
endif()
if(stint_digits_fault)
  message(STATUS "scikit-learn 1.9.1: ${stint_digits_fault}. The test on handwritten digits is skipped; "
    "-DSTINT_SKLEARN_WHEEL=FILE gives one at hand")
  set(stint_digits "")
endif()
