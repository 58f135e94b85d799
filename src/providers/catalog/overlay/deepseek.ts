import type { Feature, Overlay } from '../model-entry.ts';
import type { DailyPrices } from '../price-schedule.ts';

const textFeatures: readonly Feature[] = ['tools', 'thinking', 'caching'];
const visionFeatures: readonly Feature[] = ['tools', 'images', 'thinking', 'caching'];
const window = { contextTokens: 1_048_576, outputTokensMax: 393_216 };

/** Twice the price during Chinese working hours; cheaper holidays are not modeled. Pricing page. */
function peak(price: Pick<DailyPrices, 'input' | 'output' | 'cacheRead'>, weekdays: boolean) {
  const hours = [
    ['01:00', '04:00'],
    ['06:00', '10:00'],
  ] as const;
  return hours.map((between) => ({ ...price, between, weekdays }));
}

// Pricing page since 10 September 2026, when peak hours were limited to weekdays.
const flash = {
  from: '2026-09-10',
  input: 0.15,
  output: 0.6,
  cacheRead: 0.003,
  hours: peak({ input: 0.3, output: 1.2, cacheRead: 0.006 }, true),
};
const proPeak = { input: 1.32, output: 3.96, cacheRead: 0.044 };

export const deepseek: Overlay = {
  sources: ['https://api-docs.deepseek.com/quick_start/pricing'],
  checkedOn: '2026-11-15',
  models: [
    // Newer than the price data.
    {
      id: 'deepseek-flash',
      title: 'DeepSeek V4.1 Flash',
      ...window,
      features: visionFeatures,
      prices: [flash],
    },
    // The price data has the August prices; since then the name points to the newer model and its price.
    {
      id: 'deepseek-v4-flash',
      names: ['deepseek-v4-flash-vision-exp'],
      title: 'DeepSeek V4 Flash',
      ...window,
      features: textFeatures,
      prices: [
        { input: 0.14, output: 0.28, cacheRead: 0.0028 },
        {
          from: '2026-08-16T16:00:00Z',
          input: 0.22,
          output: 0.66,
          cacheRead: 0.007,
          hours: peak({ input: 0.44, output: 1.32, cacheRead: 0.014 }, false),
        },
        flash,
      ],
    },
    // The price data applies peak hours to every day.
    {
      id: 'deepseek-v4-pro',
      title: 'DeepSeek V4 Pro',
      ...window,
      features: textFeatures,
      prices: [
        { input: 0.435, output: 0.87, cacheRead: 0.003625 },
        {
          from: '2026-08-16T16:00:00Z',
          input: 0.66,
          output: 1.98,
          cacheRead: 0.022,
          hours: peak(proPeak, false),
        },
        { from: '2026-09-10', input: 0.66, output: 1.98, cacheRead: 0.022, hours: peak(proPeak, true) },
      ],
    },
    // The price data ends in spring 2025. Pricing pages of V3.2 and V4; the names were retired on 24 July 2026.
    {
      id: 'deepseek-chat',
      title: 'DeepSeek Chat',
      retired: true,
      contextTokens: 131_072,
      outputTokensMax: 8192,
      prices: [
        { input: 0.27, output: 1.1, cacheRead: 0.07 },
        { from: '2025-09-29', input: 0.28, output: 0.42, cacheRead: 0.028 },
        { from: '2026-04-24', input: 0.14, output: 0.28, cacheRead: 0.0028 },
      ],
    },
    {
      id: 'deepseek-reasoner',
      title: 'DeepSeek Reasoner',
      retired: true,
      contextTokens: 131_072,
      outputTokensMax: 65_536,
      prices: [
        { input: 0.55, output: 2.19, cacheRead: 0.14 },
        { from: '2025-09-29', input: 0.28, output: 0.42, cacheRead: 0.028 },
        { from: '2026-04-24', input: 0.14, output: 0.28, cacheRead: 0.0028 },
      ],
    },
  ],
};
