/** Words of demands, prohibitions and corrections. */
const ruleWords: ReadonlySet<string> = new Set(
  (
    "never always must mustn't need needs have don't dont not no only except unless instead avoid without ensure should shouldn't " +
    "can't cannot prefer keep leave stop undo revert wrong actually rather remember important required forbidden allowed " +
    'nie niemals immer muss müssen soll sollen nicht kein keine keinen nur statt ohne vermeide falsch ' +
    'jamais toujours doit dois pas seulement sans évite nunca siempre debe debes sólo solo sin evita sempre deve mai senza solamente ' +
    'никогда всегда нельзя должен должна только без вместо не'
  ).split(' '),
);
/** The same in languages that don't separate words. */
const ruleParts =
  '不要 别 必须 禁止 总是 只能 不能 應該 应该 ないで 必ず 常に だけ べき ください 마세요 항상 반드시 금지'.split(
    ' ',
  );

/** Whether a text seems to demand, forbid or correct something. */
export function isRule(text: string): boolean {
  const words =
    text
      .toLowerCase()
      .replaceAll('’', "'")
      .match(/[\p{L}']+/gu) ?? [];
  return words.some((word) => ruleWords.has(word)) || ruleParts.some((part) => text.includes(part));
}
