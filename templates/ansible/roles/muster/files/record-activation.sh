# $1 is the install-directory, $2 the release that has become current, $3 the one before it or nothing. Numbers
# give the order, because clocks may be set back.
set -e
umask 077
cd "$1"
turn=0
for file in releases/*/.activated; do
  number=0
  if [ -r "$file" ]; then read -r number _ < "$file" || :; fi
  if [ "$number" -gt "$turn" ] 2>/dev/null; then turn=$number; fi
done
if [ -n "$3" ] && [ -d "$3" ] && [ ! -e "$3/.activated" ]; then
  turn=$((turn + 1))
  printf '%s\n' "$turn" > "$3/.activated"
fi
printf '%s %s\n' "$((turn + 1))" "$(date -u +%Y-%m-%dT%H:%M:%SZ)" > "releases/$2/.activated.new"
mv -f "releases/$2/.activated.new" "releases/$2/.activated"
