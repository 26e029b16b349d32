
# Devices, resources and columns are completed here, and everything else by the function above. They come from edgeplug itself,
# with the node and the configuration that the command line names.
function _edgeplug() {
  local line=${COMP_LINE:0:COMP_POINT}
  local word=${line##*[[:space:]]}
  local -a before found=() node=()
  read -ra before <<<"${line%"$word"}"
  local last=${before[-1]} i
  for ((i = 2; i < ${#before[@]}; i++)); do
    case ${before[i]} in
      --sysroot | --config) node+=("${before[i]}" "${before[i + 1]}") ;;
      --sysroot=* | --config=*) node+=("${before[i]}") ;;
    esac
  done
  case ${before[1]}:$last:$word in
    list:-o:* | list:--output:*)
      # several columns, separated by commas
      local head=${word%"${word##*[,+]}"}
      mapfile -t found < <(edgeplug list --help 2>/dev/null | sed -n "/^Columns:/,\$ s/^  \([A-Z]\{2,\}\) .*/${head/&/}\1/p")
      compopt -o nospace 2>/dev/null ;;
    vfs:vfs:* | dra:dra:* | *:--*:-* | *:*:-* | *:--sysroot:* | *:--config:* | *:--kubelet-dir:*)
      _complete_edgeplug
      return ;;
    list:* | explain:*)
      mapfile -t found < <(_edgeplug_names DEVICE; _edgeplug_names RESOURCE) ;;
    vfs:*)
      mapfile -t found < <(edgeplug list -n -o DEVICE,VFS "${node[@]}" 2>/dev/null | sed -n 's, *[0-9]*/[0-9]*$,,p') ;;
    dra:*)
      [[ ${before[2]} == device-class ]] || return 0
      mapfile -t found < <(edgeplug dra device-class --no-example "${node[@]}" 2>/dev/null |
        sed -n 's/^  extendedResourceName: //p') ;;
    prepare:*)
      mapfile -t found < <(_edgeplug_names DEVICE --advertised) ;;
    try:*=*)
      local head=${word%"${word##*[=,]}"}
      mapfile -t found < <(_edgeplug_names DEVICE "${word%%=*}" | sed "s|^|${head//[|&\\]/}|")
      compopt -o nospace 2>/dev/null ;;
    try:*)
      mapfile -t found < <(_edgeplug_names RESOURCE | sed 's/$/=/')
      compopt -o nospace 2>/dev/null ;;
    *)
      _complete_edgeplug
      return ;;
  esac
  # bash ends words at : and =, and puts the completion behind the last one.
  local current=${COMP_WORDS[COMP_CWORD]} one
  [[ $current == [:=] ]] && current=
  local given=${word%"$current"}
  COMPREPLY=()
  for one in "${found[@]}"; do
    [[ $one == "$word"* ]] || continue
    one=${one#"$given"}
    # The shell must not interpret any part of a file's name.
    [[ $one == *[!A-Za-z0-9_.:,/+=-]* ]] && one=$(printf %q "$one")
    COMPREPLY+=("$one")
  done
}

function _edgeplug_names() {
  local column=$1
  shift
  edgeplug list -n -o "$column" "${node[@]}" "$@" 2>/dev/null | grep -vx -e - | sort -u
}

complete -F _edgeplug -o default edgeplug
