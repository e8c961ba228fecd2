__agent_env_hook() {
  local status=$? now=${EPOCHSECONDS-} change= changed=
  [[ $now ]] || printf -v now '%(%s)T' -1
  [[ -r `changes` ]] && read -r change <`changes`
  [[ $change != "${__agent_env_change-}" ||
    -n ${__agent_env_follows-} && $PWD != "${__agent_env_directory-}" ]] && changed=1
  if [[ $changed ]] || ((now >= ${__agent_env_due-0} || now < ${__agent_env_due-0} - `longest-wait`)); then
    local __agent_env_wait=`wait-after-failure`
    [[ $changed ]] && __agent_env_wait=`wait-after-change`
    __agent_env_change=$change __agent_env_directory=$PWD
    eval "$(`command` ${__agent_env_names:+"--former=$__agent_env_names"} 2>/dev/null </dev/null)"
    __agent_env_due=$((now + __agent_env_wait))
  fi
  return $status
}
if [[ ${PROMPT_COMMAND[*]-} != *__agent_env_hook* ]]; then
  if [[ $(declare -p PROMPT_COMMAND 2>/dev/null) == 'declare -a'* ]]; then
    PROMPT_COMMAND=(__agent_env_hook "${PROMPT_COMMAND[@]}")
  else
    PROMPT_COMMAND="__agent_env_hook${PROMPT_COMMAND:+;$PROMPT_COMMAND}"
  fi
fi
