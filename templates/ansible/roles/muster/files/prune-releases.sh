# Removes releases but the current one and the two before it, and runtimes that none of these uses. $1 is the
# install-directory; with `check` as $2 it only prints what it would remove.
set -e
cd "$1" 2>/dev/null || exit 0
now=$(readlink current) || exit 0
latest=$(for folder in releases/*/; do
  folder=${folder%/}
  number=0
  if [ -r "$folder/.activated" ]; then read -r number _ < "$folder/.activated" || :; fi
  if [ "$folder" != "$now" ] && [ "$number" -gt 0 ] 2>/dev/null; then echo "$number $folder"; fi
done | sort -rn | head -n 2 | cut -d ' ' -f 2)
used=
for folder in $now $latest; do
  node=$(readlink "$folder/node")
  used="$used $folder runtimes/$(basename "$(dirname "$node")")"
done
for folder in releases/*/ runtimes/*/; do
  folder=${folder%/}
  [ -d "$folder" ] || continue
  case " $used " in *" $folder "*) continue ;; esac
  echo "$folder"
  if [ "$2" = check ]; then continue; fi
  mv "$folder" "${folder%%/*}/.old-${folder#*/}"
  rm -rf "${folder%%/*}/.old-${folder#*/}"
done
