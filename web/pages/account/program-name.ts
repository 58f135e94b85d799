/** The most particular first: most browsers say that they are others, too. */
const browsers = [
  ['Edg', 'Edge'],
  ['OPR', 'Opera'],
  ['Firefox', 'Firefox'],
  ['Chrome', 'Chrome'],
  ['Safari', 'Safari'],
] as const;
const systems = [
  ['Android', 'Android'],
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Windows', 'Windows'],
  ['Mac OS X', 'macOS'],
  ['Linux', 'Linux'],
] as const;

/** What somebody logged in with, as people call it. */
export function programName(userAgent: string): string {
  if (userAgent === '') return 'a program without a name';
  const browser = browsers.find(
    ([sign]) => userAgent.includes(`${sign}/`) || userAgent.includes(`Headless${sign}/`),
  );
  if (!userAgent.startsWith('Mozilla/') || browser === undefined) return userAgent;
  const system = systems.find(([sign]) => userAgent.includes(sign));
  return system === undefined ? browser[1] : `${browser[1]} on ${system[1]}`;
}
