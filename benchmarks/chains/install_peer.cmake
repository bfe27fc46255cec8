# Installs checkpoint-schedules into the folder PACKAGES, unless it is there. Never fails.
if(EXISTS ${PACKAGES}/checkpoint_schedules)
  return()
endif()
find_program(python python3)
execute_process(
  COMMAND ${python} -m pip --disable-pip-version-check install --quiet --target ${PACKAGES}
          checkpoint-schedules==1.0.4
  RESULT_VARIABLE result ERROR_VARIABLE fault OUTPUT_QUIET)
if(NOT result EQUAL 0)
  string(REGEX REPLACE "^.*(ERROR: |No module)" "\\1" fault "${fault}")
  string(REGEX REPLACE "[\r\n].*" "" fault "${fault}")
  message(STATUS "checkpoint-schedules could not be installed (${fault}); chain_solvers does without")
endif()
