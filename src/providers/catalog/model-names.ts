import type { MatchLogic } from '@pydantic/genai-prices';
import type { Provider } from '../../kernel/provider.ts';

/** The literal names in a rule. */
export function exactNamesIn(rule: MatchLogic): readonly string[] {
  if ('equals' in rule) return [rule.equals];
  return 'or' in rule ? rule.or.flatMap(exactNamesIn) : [];
}

/** Whether a rule does more than list names. */
export function isPattern(rule: MatchLogic): boolean {
  return 'or' in rule ? rule.or.some(isPattern) : !('equals' in rule);
}

/**
 * Whether a rule matches this model. The price data's prefix rules match too much, such as `sonnet-5-5` for `sonnet-5`
 * and `flash-lite` for `flash`: here the rest of the name has to be a date or a stage.
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

/** A family name ends in a separator; fine-tuned models have their owner's name after it. */
function isOpenEnded(start: string): boolean {
  return /[-@.:/]$/.test(start) || start.startsWith('ft:');
}

/**
 * Stages, versions and runs of two or more digits. The pattern is unambiguous, since ambiguity would double the matching
 * time with every part: a run of digits starts the rest, or follows a separator or a word.
 */
const versionSuffix =
  /^(?:\d\d+)?(?:[-@:.]?(?:(?:latest|preview|beta|exp(?:erimental)?|thinking|instruct|customtools|v\d)(?:\d\d+)?|v\d:\d)|[-@:.]\d\d+)*$/;

/** Turns `gpt-5-2025-08-07` into `gpt-5`; undefined for a name without a date. */
export function stripDate(name: string): string | undefined {
  const without = name.replace(/[-@](?:20\d{6}|20\d{2}-\d{2}-\d{2})$/, '');
  return without === name ? undefined : without;
}

/** A provider with name prefixes serves only models with one of them; a provider without serves any. */
export function hasProviderPrefix(model: string, { modelPrefixes }: Provider): boolean {
  return modelPrefixes.length === 0 || modelPrefixes.some((prefix) => model.startsWith(prefix));
}

/** Non-chat models have text prices too. An entry that ends in a hyphen is a prefix. */
export function isChatModel(model: string): boolean {
  return !/(?:^|[-/])(?:embed|image|live|ocr|realtime|transcribe|tts|voice|whisper)|-$/.test(model);
}
