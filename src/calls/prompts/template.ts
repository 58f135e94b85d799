import { limits } from '../limits.ts';

/** A text with variables: literal texts and names in turn, beginning with a text. */
export interface Template {
  readonly literals: readonly string[];
  readonly names: readonly string[];
}

interface ParsedTemplate {
  readonly template: Template;
  readonly faults: readonly string[];
}

const namePattern = new RegExp(`^[A-Za-z][A-Za-z0-9_-]{0,${limits.promptWordMax - 1}}$`);
/** Faults that are described; each costs more than reading the text between two. */
const faultsMax = 10;
/** Blanks may stand around a name. */
const placeholderCharactersMax = limits.promptWordMax + 20;

export function isVariableName(name: string): boolean {
  return namePattern.test(name);
}

/**
 * Reads `{{name}}`. A backslash before the braces makes them text; before braces, two backslashes are one. Reads each
 * character once.
 */
export function parseTemplate(text: string): ParsedTemplate {
  const literals: string[] = [];
  const names: string[] = [];
  const faults: string[] = [];
  let literal = '';
  let at = 0;
  for (let open = text.indexOf('{{'); open >= 0; open = text.indexOf('{{', at)) {
    const end = slashesBefore(text, open, at);
    const slashes = open - end;
    literal += text.slice(at, end) + '\\'.repeat(slashes >> 1);
    at = open + 2;
    if (slashes % 2 === 1) {
      literal += '{{';
      continue;
    }
    const inside = text.slice(at, at + placeholderCharactersMax);
    const close = inside.indexOf('}}');
    const name = inside.slice(0, Math.max(close, 0)).trim();
    if (!isVariableName(name)) {
      if (faults.length < faultsMax) faults.push(describeFault(text, open));
      continue;
    }
    literals.push(literal);
    names.push(name);
    literal = '';
    at += close + 2;
  }
  return { template: { literals: [...literals, literal + text.slice(at)], names }, faults };
}

/** The number of characters that the values make of a template. */
export function lengthOf({ literals, names }: Template, values: ReadonlyMap<string, string>): number {
  const text = literals.reduce((sum, literal) => sum + literal.length, 0);
  return names.reduce((sum, name) => sum + (values.get(name)?.length ?? 0), text);
}

/** Values are texts: braces in them mean nothing. */
export function renderTemplate({ literals, names }: Template, values: ReadonlyMap<string, string>): string {
  let text = literals[0] ?? '';
  for (const [at, name] of names.entries()) text += (values.get(name) ?? '') + (literals[at + 1] ?? '');
  return text;
}

function slashesBefore(text: string, open: number, start: number): number {
  let at = open;
  while (at > start && text[at - 1] === '\\') at--;
  return at;
}

function describeFault(text: string, open: number): string {
  const shown = JSON.stringify(text.slice(open, open + 20).toWellFormed());
  return `${shown} at character ${open + 1} is no variable: write {{name}} with letters, digits, _ and -, or \\{{ for two braces`;
}
