import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api, told } from '../../api/client.ts';
import type { StoredBudget } from '../../api/queries.ts';
import { Choice, Field, Input, Select } from '../../parts/controls.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { type BudgetNames, periodText, scopeTitles, subjectOf } from './budget-texts.ts';
import { useBudgetsChanged } from './use-budgets-changed.ts';

interface EditBudgetProps {
  /** Undefined for a new one. */
  readonly budget?: StoredBudget;
  readonly names: BudgetNames;
  readonly onClose: () => void;
}

type Mode = StoredBudget['mode'];

/** Makes a budget, or changes one, whose scope and period stay. */
export function EditBudget({ budget, names, onClose }: EditBudgetProps) {
  const [name, setName] = useState(budget?.name ?? '');
  const [scope, setScope] = useState<ScopeFields>({ scope: 'organization', subject: '', value: '' });
  const [period, setPeriod] = useState('month');
  const [limit, setLimit] = useState(budget?.limit_usd ?? '');
  const [mode, setMode] = useState<Mode>(budget?.mode ?? 'hard');
  const [thresholds, setThresholds] = useState((budget?.thresholds ?? [50, 80, 95, 100]).join(', '));
  const changed = useBudgetsChanged();
  const saving = useMutation({
    mutationFn: () => {
      const settings = {
        name: name.trim(),
        limit_usd: limit.trim(),
        mode,
        thresholds: numbersIn(thresholds),
      };
      return budget === undefined
        ? told(
            api.POST('/v1/organization/budgets', {
              body: { ...settings, ...bodyOf(scope), period: period.trim() },
            }),
          )
        : told(
            api.PATCH('/v1/organization/budgets/{id}', {
              params: { path: { id: budget.id } },
              body: settings,
            }),
          );
    },
    onSuccess: async () => {
      await changed();
      onClose();
    },
  });
  return (
    <FormDialog
      title={budget === undefined ? 'New budget' : `Edit ${budget.name}`}
      {...(budget !== undefined && { lead: `${subjectOf(budget, names)}, ${periodText(budget.period)}` })}
      action={budget === undefined ? 'Create' : 'Save'}
      isIncomplete={name.trim() === '' || limit.trim() === '' || (budget === undefined && isMissing(scope))}
      saving={saving}
      onClose={onClose}
    >
      <Field label="Name">
        {(field) => (
          <Input
            {...field}
            required
            maxLength={100}
            autoComplete="off"
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
        )}
      </Field>
      {budget === undefined && (
        <>
          <ScopeInputs fields={scope} names={names} onChange={setScope} />
          <Field
            label="Period"
            hint="day or month of the calendar in UTC, or a window that moves on, such as 7d or 24h"
          >
            {(field) => (
              <Input
                {...field}
                required
                pattern="day|month|[1-9][0-9]{0,2}[dh]"
                list="budget-periods"
                autoComplete="off"
                value={period}
                onChange={({ target }) => setPeriod(target.value)}
              />
            )}
          </Field>
          <datalist id="budget-periods">
            {['day', 'month', '7d', '30d', '24h'].map((text) => (
              <option key={text} value={text} />
            ))}
          </datalist>
        </>
      )}
      <Field label="Limit in dollars">
        {(field) => (
          <Input
            {...field}
            required
            inputMode="decimal"
            pattern="[0-9]{1,7}([.][0-9]{1,9})?"
            autoComplete="off"
            value={limit}
            onChange={({ target }) => setLimit(target.value)}
          />
        )}
      </Field>
      <Choice
        label="What happens at the limit"
        value={mode}
        options={[
          ['hard', 'Refuse calls'],
          ['warning', 'Warn only'],
        ]}
        onChange={setMode}
      />
      <Field label="Alerts at" hint="Percentages of the limit. The page Alerts says who gets them.">
        {(field) => (
          <Input
            {...field}
            pattern="[0-9, ]*"
            autoComplete="off"
            value={thresholds}
            onChange={({ target }) => setThresholds(target.value)}
          />
        )}
      </Field>
    </FormDialog>
  );
}

/** The parts of a scope, as they are typed. */
interface ScopeFields {
  readonly scope: StoredBudget['scope'];
  /** The project, key, end user or name of the tag. */
  readonly subject: string;
  readonly value: string;
}

interface ScopeInputsProps {
  readonly fields: ScopeFields;
  readonly names: BudgetNames;
  readonly onChange: (fields: ScopeFields) => void;
}

function ScopeInputs({ fields, names, onChange }: ScopeInputsProps) {
  const { scope, subject, value } = fields;
  const choices = scope === 'project' ? names.projects : names.keys;
  return (
    <>
      <Field label="What it limits">
        {(field) => (
          <Select
            {...field}
            value={scope}
            onChange={({ target }) =>
              onChange({ scope: target.value as ScopeFields['scope'], subject: '', value: '' })
            }
          >
            {scopeTitles.map(([name, title]) => (
              <option key={name} value={name}>
                {title}
              </option>
            ))}
          </Select>
        )}
      </Field>
      {(scope === 'project' || scope === 'key') && (
        <Field label={scope === 'project' ? 'Project' : 'API key'}>
          {(field) => (
            <Select
              {...field}
              required
              value={subject}
              onChange={({ target }) => onChange({ ...fields, subject: target.value })}
            >
              <option value="">Choose one</option>
              {[...choices].map(([id, name]) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </Select>
          )}
        </Field>
      )}
      {(scope === 'end_user' || scope === 'tag') && (
        <Field
          label={scope === 'tag' ? 'Tag' : 'End user'}
          {...(scope === 'end_user' && { hint: 'Leave it empty for a budget of each end user.' })}
        >
          {(field) => (
            <Input
              {...field}
              required={scope === 'tag'}
              autoComplete="off"
              spellCheck={false}
              value={subject}
              onChange={({ target }) => onChange({ ...fields, subject: target.value })}
            />
          )}
        </Field>
      )}
      {scope === 'tag' && (
        <Field label="Value" hint="Leave it empty for a budget of each value.">
          {(field) => (
            <Input
              {...field}
              autoComplete="off"
              spellCheck={false}
              value={value}
              onChange={({ target }) => onChange({ ...fields, value: target.value })}
            />
          )}
        </Field>
      )}
    </>
  );
}

function isMissing({ scope, subject }: ScopeFields): boolean {
  return (scope === 'project' || scope === 'key' || scope === 'tag') && subject.trim() === '';
}

function bodyOf({ scope, subject, value }: ScopeFields) {
  const [name, own] = [subject.trim(), value.trim()];
  switch (scope) {
    case 'organization':
      return { scope };
    case 'project':
      return { scope, project_id: name };
    case 'key':
      return { scope, key_id: name };
    case 'end_user':
      return { scope, ...(name !== '' && { end_user: name }) };
    case 'tag':
      return { scope, tag: name, ...(own !== '' && { tag_value: own }) };
  }
}

function numbersIn(text: string): number[] {
  return text.split(/[\s,]+/).flatMap((part) => (part === '' ? [] : [Number(part)]));
}
