import type { MatchLogic } from '@pydantic/genai-prices';
import type { Provider } from '../../kernel/provider.ts';

/** The names in a rule that stand for themselves. */
export function exactNamesIn(rule: MatchLogic): readonly string[] {
  if ('equals' in rule) return [rule.equals];
  return 'or' in rule ? rule.or.flatMap(exactNamesIn) : [];
}

/** Whether a rule does more than list names. */
export function isPattern(rule: MatchLogic): boolean {
  return 'or' in rule ? rule.or.some(isPattern) : !('equals' in rule);
}

/**
 * Whether a rule means this model. The rules of the price data take everything that begins with a name, and so they
 * take `sonnet-5-5` for `sonnet-5` and `flash-lite` for `flash`: here what is left over has to be a date or a stage.
 */
export function matchesRule(rule: MatchLogic, name: string): boolean {
  if ('or' in rule) return rule.or.some((part) => matchesRule(part, name));
  if ('and' in rule) return rule.and.every((part) => matchesRule(part, name));
  if ('equals' in rule) return name === rule.equals.toLowerCase();
  if ('regex' in rule) return new RegExp(rule.regex).test(name);
  if ('ends_with' in rule) return name.endsWith(rule.ends_with.toLowerCase());
  const start = ('starts_with' in rule ? rule.starts_with : rule.contains).toLowerCase();
  const at = name.indexOf(start);
  if (at < 0 || (at > 0 && 'starts_with' in rule)) return false;
  return isOpenEnded(start) || versionSuffix.test(name.slice(at + start.length));
}

/** Names of families end in a separator, and tuned models carry names of their owners. */
function isOpenEnded(start: string): boolean {
  return /[-@.:/]$/.test(start) || start.startsWith('ft:');
}

/**
 * Stages, versions and runs of two or more digits. Each text can be read in one way only: a run of digits begins the rest, or follows
 * a separator or a word. Two ways to read a part would double the time with every part.
 */
const versionSuffix =
  /^(?:\d\d+)?(?:[-@:.]?(?:(?:latest|preview|beta|exp(?:erimental)?|thinking|instruct|customtools|v\d)(?:\d\d+)?|v\d:\d)|[-@:.]\d\d+)*$/;

/** `gpt-5-2025-08-07` is `gpt-5` on that day; undefined for a name without a date. */
export function stripDate(name: string): string | undefined {
  const without = name.replace(/[-@](?:20\d{6}|20\d{2}-\d{2}-\d{2})$/, '');
  return without === name ? undefined : without;
}

/** A vendor with names of its own has no others; who serves everybody's models has any. */
export function hasProviderPrefix(model: string, { modelPrefixes }: Provider): boolean {
  return modelPrefixes.length === 0 || modelPrefixes.some((prefix) => model.startsWith(prefix));
}

/** Models for other work have prices for text too. What ends in a hyphen is the beginning of many names. */
export function isChatModel(model: string): boolean {
  return !/(?:^|[-/])(?:embed|image|live|ocr|realtime|transcribe|tts|voice|whisper)|-$/.test(model);
}
