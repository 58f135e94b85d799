import { version } from '../gateway/version.ts';
import { type Command, usageOf } from './command.ts';
import { commands } from './commands.ts';

const width = 80;

/** The text of `weir --help`. */
export function overview(): string {
  const rows = [
    ...commands.map(({ name, summary }) => [`weir ${name}`, summary] as const),
    ['weir --version', 'print the version'] as const,
    ['weir --help', 'print this help; after a command, its help'] as const,
  ];
  return [
    `weir ${version}: a gateway in front of AI model providers`,
    '',
    ...alignColumns(rows),
    '',
    'Settings are environment variables or lines in .env; a running gateway lists them at /docs.',
  ].join('\n');
}

/** The text of, for example, `weir backup --help`. */
export function helpOf(command: Command): string {
  const { summary, about, flags = {} } = command;
  const options = Object.entries(flags).map(
    ([flag, { value, about: meaning }]) =>
      [value === undefined ? `--${flag}` : `--${flag} <${value}>`, meaning] as const,
  );
  return [
    usageOf(command),
    '',
    ...wrapText(toSentence(summary), width),
    ...(about?.split('\n').flatMap((line) => wrapText(line, width)) ?? []),
    ...(options.length > 0 ? ['', ...alignColumns(options)] : []),
  ].join('\n');
}

/** The page `docs/reference/commands.md`. */
export function commandsPage(): string {
  const sections = commands.map((command) => {
    const { name, summary, about, flags = {} } = command;
    const more = about?.includes('\n') ? `\`\`\`\n${about}\n\`\`\`` : about;
    const options = Object.entries(flags).map(([flag, { about: meaning }]) => `- \`--${flag}\`: ${meaning}.`);
    const text = [`\`${usageOf(command)}\``, toSentence(summary), more, options.join('\n')];
    return [`## ${name}`, ...text.filter((part) => part !== undefined && part !== '')].join('\n\n');
  });
  const intro =
    'Generated from the commands by `npm run docs`. Commands read the same [settings](settings.md) as the gateway: run them on its machine, in its folder and with its environment. `weir <command> --help` prints the same text.';
  return `${['# Commands', intro, ...sections].join('\n\n')}\n`;
}

function toSentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
}

/** Two columns, the second wrapped. */
function alignColumns(rows: readonly (readonly [string, string])[]): readonly string[] {
  const left = Math.max(...rows.map(([name]) => name.length)) + 4;
  return rows.flatMap(([name, meaning]) =>
    wrapText(meaning, width - left).map((line, at) => `${at === 0 ? `  ${name}` : ''}`.padEnd(left) + line),
  );
}

function wrapText(text: string, most: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > most) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}
