/**
 * The script of the watchdog: a few lines for `/bin/sh`, of which dash, bash and BusyBox have their own.
 *
 * It reads `+ PID MS` for each process that began and `- PID` for each that is over. The end of its input is the end
 * of the watched program. Then it ends what still lives, by the usual escalation: what has no living parent among
 * them gets SIGTERM, and everything SIGKILL when its milliseconds are over. Whatever is below a process, or carries its
 * mark in the environment, goes with it.
 *
 * Its arguments are the mark and the first processes, `PID MS` each. `mine` holds words `PID/BEGINNING/MS`, `table` words
 * `PID/BEGINNING<PARENT`: no id is signalled whose beginning is not the one that was seen.
 */
export const WATCHDOG_SCRIPT = `trap '' HUP INT QUIT TERM
mark=$1 mine=' ' told=' ' delays=' '
scan() {
  table=' '
  if [ -r /proc/self/stat ]; then
    for path in \${1:-/proc/[0-9]*}; do
      text=
      while read -r line; do text="$text $line"; done <"$path/stat"
      case $text in *') '*) set -- \${text##*) } ;; *) continue ;; esac
      case $1 in [ZX]) ;; *) table="$table\${path#/proc/}/\${20}<$2 " ;; esac
    done
  else
    table=" $(
      TZ=UTC LC_ALL=C /bin/ps -A -o pid=,ppid=,stat=,lstart= |
        while read -r pid parent state began; do
          set -- $began
          case $state in Z*) ;; *) printf '%s ' "$pid/$1-$2-$3-$4-$5<$parent" ;; esac
        done
    )"
  fi
}
add() {
  case $mine in *" \${1%<*}/"*) ;; *) mine="$mine\${1%<*}/$2 " more=1 ;; esac
}
look() {
  scan; old=$mine; mine=' '; more=1
  for one in $old; do
    case $table in *" \${one%/*}<"*) mine="$mine$one " ;; esac
  done
  [ -r /proc/self/environ ] && for ms in $delays; do
    for path in $(grep -lF "$mark.$ms." /proc/[0-9]*/environ); do
      path=\${path#/proc/}; path=\${path%/environ}
      case $table in *" $path/"*) one=\${table#* $path/}; add "$path/\${one%% *}" $ms ;; esac
    done
  done
  while [ $more ]; do
    more=
    for one in $table; do
      case $mine in *" \${one##*<}/"*) ms=\${mine#* \${one##*<}/}; ms=\${ms%% *}; add $one \${ms##*/} ;; esac
    done
  done
}
clock() {
  if read -r up rest </proc/uptime; then now=\${up%.*}\${up#*.}0; else now=$(date +%s)000; fi
}
guard() {
  case $delays in *" $2 "*) ;; *) delays="$delays$2 " ;; esac
  scan /proc/$1
  case $table in *" $1/"*) one=\${table#* $1/}; mine="$mine$1/\${one%%<*}/$2 " ;; esac
}
shift
while [ $# -gt 1 ]; do guard $1 $2; shift 2; done
while read -r sign pid ms; do
  case $sign in
    +) guard $pid $ms ;;
    -) case $mine in *" $pid/"*) one=\${mine#* $pid/}; mine="\${mine%% $pid/*} \${one#* }" ;; esac ;;
  esac
done
clock; from=$now
while look; [ "$mine" != ' ' ]; do
  clock; end=1
  for one in $mine; do
    pid=\${one%%/*}; id=\${one%/*}; left=$((from + \${one##*/} - now))
    [ $left -gt -2000 ] && end=
    if [ $left -le 0 ]; then kill -KILL $pid; continue; fi
    parent=\${table#* $id<}
    case $told$mine in *" $id "* | *" \${parent%% *}/"*) ;; *) told="$told$id "; kill -TERM $pid; kill -CONT $pid ;; esac
  done
  [ $end ] && exit
  sleep 0.1 || sleep 1
done`;
