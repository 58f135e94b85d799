import type { Command, CommandInput } from './command.ts';
import { commands } from './commands.ts';

/** The possible next words after a prefix of the command line. */
interface CompletionContext {
  readonly prefix: string;
  /** Whether other words may follow the prefix first. */
  readonly allowsMoreWords: boolean;
  readonly next: readonly (readonly [word: string, meaning: string])[];
  readonly takesFile: boolean;
}

type ScriptGenerator = (places: readonly CompletionContext[]) => string;

const shells: Readonly<Record<string, ScriptGenerator>> = { bash, zsh, fish };

export async function completion({ positionals: [shell = ''] }: CommandInput): Promise<number> {
  console.log(shells[shell]?.([topLevelContext(), ...groupContexts(), ...commands.map(commandContext)]));
  return 0;
}

function topLevelContext(): CompletionContext {
  const words = new Map<string, string>();
  for (const { name, summary } of commands) {
    const [first = '', second] = name.split(' ');
    if (!words.has(first)) words.set(first, second === undefined ? summary : `manage ${first}`);
  }
  const others = [
    ['--help', 'list all commands'],
    ['--version', 'print the version'],
  ] as const;
  return { prefix: '', allowsMoreWords: false, next: [...words, ...others], takesFile: false };
}

function groupContexts(): readonly CompletionContext[] {
  const grouped = commands.filter(({ name }) => name.includes(' '));
  const names = new Set(grouped.map(({ name }) => name.split(' ')[0] ?? ''));
  return [...names].map((group) => ({
    prefix: group,
    allowsMoreWords: false,
    next: grouped
      .filter(({ name }) => name.startsWith(`${group} `))
      .map(({ name, summary }) => [name.slice(group.length + 1), summary] as const),
    takesFile: false,
  }));
}

function commandContext({ name, positionals = [], flags = {} }: Command): CompletionContext {
  return {
    prefix: name,
    allowsMoreWords: true,
    next: [
      ...positionals.flatMap(({ name: value, choices = [] }) =>
        choices.map((choice) => [choice, value] as const),
      ),
      ...Object.entries(flags).map(([flag, { about }]) => [`--${flag}`, about] as const),
      ['--help', 'more about this command'],
    ],
    takesFile: positionals.some(({ isFile }) => isFile) || Object.values(flags).some(({ value }) => value),
  };
}

function bash(places: readonly CompletionContext[]): string {
  const cases = places.map(
    ({ prefix, allowsMoreWords, next, takesFile }) =>
      `    ${casePattern(prefix, allowsMoreWords)}) words='${next.map(([word]) => word).join(' ')}'${takesFile ? ' files=1' : ''} ;;`,
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

function zsh(places: readonly CompletionContext[]): string {
  const cases = places.map(({ prefix, allowsMoreWords, next, takesFile }) => {
    const described = next.map(([word, meaning]) =>
      quoteForShell(`${word}:${meaning.replaceAll(':', '\\:')}`),
    );
    return `    ${casePattern(prefix, allowsMoreWords)}) next=(${described.join(' ')})${takesFile ? ' files=1' : ''} ;;`;
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

function fish(places: readonly CompletionContext[]): string {
  const lines = places.flatMap(({ prefix, allowsMoreWords, next, takesFile }) => {
    const condition = `-n ${quoteForShell(`${allowsMoreWords ? '__weir_within' : '__weir_behind'} ${prefix}`.trim())}`;
    return [
      ...next.map(
        ([word, meaning]) =>
          `complete -c weir -f ${condition} -a ${quoteForShell(word)} -d ${quoteForShell(meaning)}`,
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

function casePattern(behind: string, isOpen: boolean): string {
  return isOpen ? `'${behind}'|'${behind} '*` : `'${behind}'`;
}

function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
