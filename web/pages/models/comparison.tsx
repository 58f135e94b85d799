import { X } from 'lucide-react';
import { IconButton } from '../../parts/controls.tsx';
import { Section } from '../../parts/states.tsx';
import type { TimeRange } from '../../parts/time-ranges.ts';
import { type KnownModel, nameOf } from './known-models.ts';
import {
  abilitiesFigure,
  keyFigure,
  ModelName,
  outputFigure,
  ownFigures,
  priceFigures,
  TryLink,
  windowFigure,
} from './model-figures.tsx';

interface ComparisonProps {
  readonly models: readonly KnownModel[];
  readonly range: TimeRange;
  readonly onRemove: (model: KnownModel) => void;
}

const figures = [
  ...priceFigures.map((figure) => ({ ...figure, title: `${figure.title} (million tokens)` })),
  ...[windowFigure, outputFigure, abilitiesFigure, keyFigure],
  ...ownFigures,
];

/** Two to four models, a column each. */
export function Comparison({ models, range, onRemove }: ComparisonProps) {
  return (
    <Section title="Compare">
      <div className="relative overflow-x-auto rounded-lg border border-line bg-surface">
        <table className="w-full border-collapse text-sm">
          <thead>
            <tr className="border-b border-line">
              <td className="p-2" />
              {models.map((model) => (
                <th key={nameOf(model.provider, model.id)} scope="col" className="p-2 text-left font-normal">
                  <span className="flex items-start justify-between gap-1">
                    <span className="min-w-24 wrap-anywhere">
                      <ModelName model={model} range={range} />
                    </span>
                    <IconButton
                      label={`Remove ${model.id}`}
                      className="-my-1.5"
                      onClick={() => onRemove(model)}
                    >
                      <X aria-hidden />
                    </IconButton>
                  </span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {figures.map(({ title, cell }) => (
              <tr key={title} className="border-b border-line last:border-0">
                <th scope="row" className="p-2 text-left text-xs font-normal text-muted">
                  {title}
                </th>
                {models.map((model) => (
                  <td key={nameOf(model.provider, model.id)} className="p-2 align-top">
                    {cell(model)}
                  </td>
                ))}
              </tr>
            ))}
            <tr>
              <th scope="row" className="p-2 text-left text-xs font-normal text-muted">
                Playground
              </th>
              {models.map((model) => (
                <td key={nameOf(model.provider, model.id)} className="p-2">
                  <TryLink model={model} />
                </td>
              ))}
            </tr>
          </tbody>
        </table>
      </div>
    </Section>
  );
}
