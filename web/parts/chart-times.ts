const daySeconds = 86_400;
const hours = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hour12: false });
const days = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });
const utcDays = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** The labels of an axis: hours, and days where one begins. Sums of days are of days in UTC, wherever they are read. */
export function axisTimesOf(ticks: readonly number[], stepSeconds: number): string[] {
  const tickSeconds = (ticks[1] ?? 0) - (ticks[0] ?? 0);
  return ticks.map((seconds) => {
    const moment = new Date(seconds * 1000);
    if (stepSeconds >= daySeconds) return utcDays.format(moment);
    const isMidnight = moment.getHours() === 0 && moment.getMinutes() === 0;
    return tickSeconds >= daySeconds || isMidnight ? days.format(moment) : hours.format(moment);
  });
}

/** The time that a step of a chart stands for: `12 Nov, 07:00–10:00`, or `12 Nov (UTC)`. */
export function spanOf(seconds: number, stepSeconds: number): string {
  const [from, to] = [new Date(seconds * 1000), new Date((seconds + stepSeconds) * 1000)];
  if (stepSeconds > daySeconds)
    return `${utcDays.format(from)}–${utcDays.format(new Date(to.getTime() - 1))} (UTC)`;
  if (stepSeconds === daySeconds) return `${utcDays.format(from)} (UTC)`;
  return `${days.format(from)}, ${hours.format(from)}–${hours.format(to)}`;
}
