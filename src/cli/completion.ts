import type { Command, Given } from './command.ts';
import { commands } from './commands.ts';

/** What may come next behind some words of a command line. */
interface Place {
  readonly behind: string;
  /** Further words may stand in between. */
  readonly isOpen: boolean;
  readonly next: readonly (readonly [word: string, meaning: string])[];
  readonly takesFile: boolean;
}

type Shell = (places: readonly Place[]) => string;

const shells: Readonly<Record<string, Shell>> = { bash, zsh, fish };

/** Prints the script of a shell. */
export async function completion({ values: [shell = ''] }: Given): Promise<number> {
  console.log(shells[shell]?.([beginnings(), ...groups(), ...commands.map(placeIn)]));
  return 0;
}

function beginnings(): Place {
  const words = new Map<string, string>();
  for (const { name, summary } of commands) {
    const [first = '', second] = name.split(' ');
    if (!words.has(first)) words.set(first, second === undefined ? summary : `commands about ${first}`);
  }
  const others = [
    ['--help', 'list all commands'],
    ['--version', 'print the version'],
  ] as const;
  return { behind: '', isOpen: false, next: [...words, ...others], takesFile: false };
}

function groups(): readonly Place[] {
  const grouped = commands.filter(({ name }) => name.includes(' '));
  const names = new Set(grouped.map(({ name }) => name.split(' ')[0] ?? ''));
  return [...names].map((group) => ({
    behind: group,
    isOpen: false,
    next: grouped
      .filter(({ name }) => name.startsWith(`${group} `))
      .map(({ name, summary }) => [name.slice(group.length + 1), summary] as const),
    takesFile: false,
  }));
}

function placeIn({ name, takes = [], flags = {} }: Command): Place {
  return {
    behind: name,
    isOpen: true,
    next: [
      ...takes.flatMap(({ name: value, choices = [] }) => choices.map((choice) => [choice, value] as const)),
      ...Object.entries(flags).map(([flag, { about }]) => [`--${flag}`, about] as const),
      ['--help', 'more about this command'],
    ],
    takesFile: takes.some(({ isFile }) => isFile) || Object.values(flags).some(({ value }) => value),
  };
}

function bash(places: readonly Place[]): string {
  const cases = places.map(
    ({ behind, isOpen, next, takesFile }) =>
      `    ${patternOf(behind, isOpen)}) words='${next.map(([word]) => word).join(' ')}'${takesFile ? ' files=1' : ''} ;;`,
  );
  return `_weir() {
  local current="\${COMP_WORDS[COMP_CWORD]}" behind="\${COMP_WORDS[*]:1:COMP_CWORD-1}" words='' files=''
  case "$behind" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  if [ -n "$files" ] && [ "\${current#-}" = "$current" ]; then
    COMPREPLY+=($(compgen -f -- "$current"))
  fi
}
complete -o bashdefault -F _weir weir`;
}

function zsh(places: readonly Place[]): string {
  const cases = places.map(({ behind, isOpen, next, takesFile }) => {
    const described = next.map(([word, meaning]) => quoted(`${word}:${meaning.replaceAll(':', '\\:')}`));
    return `    ${patternOf(behind, isOpen)}) next=(${described.join(' ')})${takesFile ? ' files=1' : ''} ;;`;
  });
  return `#compdef weir
_weir() {
  local behind="\${(j: :)words[2,CURRENT-1]}" files=''
  local -a next
  case "$behind" in
${cases.join('\n')}
  esac
  _describe -t commands weir next
  [[ -n $files ]] && _files
}
compdef _weir weir`;
}

function fish(places: readonly Place[]): string {
  const lines = places.flatMap(({ behind, isOpen, next, takesFile }) => {
    const condition = `-n ${quoted(`${isOpen ? '__weir_within' : '__weir_behind'} ${behind}`.trim())}`;
    return [
      ...next.map(
        ([word, meaning]) => `complete -c weir -f ${condition} -a ${quoted(word)} -d ${quoted(meaning)}`,
      ),
      ...(takesFile ? [`complete -c weir -F ${condition}`] : []),
    ];
  });
  return `function __weir_behind
  set -l words (commandline -opc)
  test "$(string join ' ' -- $words[2..])" = "$(string join ' ' -- $argv)"
end
function __weir_within
  set -l words (commandline -opc)
  string match -q -- "$(string join ' ' -- $argv) *" "$(string join ' ' -- $words[2..]) "
end
complete -c weir -f
${lines.join('\n')}`;
}

function patternOf(behind: string, isOpen: boolean): string {
  return isOpen ? `'${behind}'|'${behind} '*` : `'${behind}'`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
