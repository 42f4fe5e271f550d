# $1 is the folder of a release, $2 the service user. Node.js keeps compiled code by user: what root compiled is
# for the service to read, and not to write.
set -e
cd "$1"
for folder in .compiled/*; do
  [ -d "$folder" ] || continue
  own=${folder%-*}-$(id -u "$2")
  [ -e "$own" ] || ln -s "${folder##*/}" "$own"
  chmod -R a+rX .compiled
done
: > .complete
chmod 644 .complete
