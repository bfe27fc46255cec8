# The plan and StarPU end with the same bits where both sum by the graph's tree.
set(schedule "${CMAKE_CURRENT_BINARY_DIR}/against_starpu.json")
execute_process(COMMAND ${PLAN} ${MODEL} here --batch 8 --leaves 4 --grain 1 -q -o ${schedule}
  COMMAND_ERROR_IS_FATAL ANY)
foreach(who stint eager)
  execute_process(COMMAND ${TRAIN} ${schedule} ${who} 2 1 OUTPUT_VARIABLE said COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCH "state_sha256\": \"([0-9a-f]+)" found "${said}")
  list(APPEND states "${CMAKE_MATCH_1}")
endforeach()
list(REMOVE_DUPLICATES states)
list(LENGTH states count)
if(NOT count EQUAL 1)
  message(FATAL_ERROR "different bits: ${states}; expected the same")
endif()
