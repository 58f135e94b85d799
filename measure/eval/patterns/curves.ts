interface Curves {
  readonly good: readonly number[];
  readonly bad: readonly number[];
  readonly retiredAt: number | undefined;
}

const [width, height, edge] = [720, 260, 40];

/** A drawing of how likely it seemed that each pattern helps, conversation by conversation. */
export function curves({ good, bad, retiredAt }: Curves): string {
  const x = (at: number) => (edge + (at / good.length) * (width - 2 * edge)).toFixed(1);
  const y = (chance: number) => (height - edge - chance * (height - 2 * edge)).toFixed(1);
  const line = (values: readonly number[], colour: string) =>
    `<polyline fill="none" stroke="${colour}" stroke-width="1.5" points="${values
      .map((value, at) => `${x(at)},${y(value)}`)
      .join(' ')}"/>`;
  const text = (at: number, chance: number, said: string, colour = '#666') =>
    `<text x="${x(at)}" y="${y(chance)}" fill="${colour}">${said}</text>`;
  const retired =
    retiredAt === undefined
      ? []
      : [
          `<line x1="${x(retiredAt)}" x2="${x(retiredAt)}" y1="${y(0)}" y2="${y(1)}" stroke="#c33" stroke-dasharray="3 3"/>`,
          text(retiredAt + 8, 0.3, `retired after ${retiredAt} conversations`, '#c33'),
        ];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="11">`,
    '<title>Chance that a pattern helps, by conversations</title>',
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    ...[0, 0.5, 1].map(
      (chance) =>
        `<line x1="${x(0)}" x2="${x(good.length)}" y1="${y(chance)}" y2="${y(chance)}" stroke="#ddd"/><text x="14" y="${y(chance)}" fill="#666">${chance}</text>`,
    ),
    ...[0, 250, 500, 750, 1000].map((at) => `<text x="${x(at)}" y="${height - 20}" fill="#666">${at}</text>`),
    line(good, '#286'),
    line(bad, '#c33'),
    text(600, 0.92, 'helps: .5 without, .8 with', '#286'),
    text(600, 0.06, 'harms: .7 without, .3 with', '#c33'),
    ...retired,
    `<text x="${edge}" y="20" fill="#333">Chance that a pattern helps, by conversations</text>`,
    '</svg>\n',
  ].join('\n');
}
