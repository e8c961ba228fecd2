zmodload -F zsh/datetime p:EPOCHSECONDS
typeset -gi __agent_env_due=0
typeset -g __agent_env_change= __agent_env_names= __agent_env_follows= __agent_env_directory=
__agent_env_hook() {
  local ret=$? change= changed=
  emulate -L zsh
  [[ -r `changes` ]] && read -r change <`changes`
  [[ $change != $__agent_env_change ||
    -n $__agent_env_follows && $PWD != $__agent_env_directory ]] && changed=1
  if [[ -n $changed ]] ||
    ((EPOCHSECONDS >= __agent_env_due || EPOCHSECONDS < __agent_env_due - `longest-wait`)); then
    local __agent_env_wait=`wait-after-failure`
    [[ -n $changed ]] && __agent_env_wait=`wait-after-change`
    __agent_env_change=$change __agent_env_directory=$PWD
    eval "$(`command` ${__agent_env_names:+"--former=$__agent_env_names"} 2>/dev/null </dev/null)"
    __agent_env_due=$((EPOCHSECONDS + __agent_env_wait))
  fi
  return $ret
}
typeset -ga precmd_functions
((${precmd_functions[(I)__agent_env_hook]})) || precmd_functions=(__agent_env_hook $precmd_functions)
