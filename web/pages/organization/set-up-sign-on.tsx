import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, told } from '../../api/client.ts';
import { me, members, type Role, type SignOn } from '../../api/queries.ts';
import { Field, Input, Select, Switch, TextArea } from '../../parts/controls.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { groupRolesIn, groupRolesText } from './group-roles.ts';
import { roleTexts } from './roles.ts';

interface SetUpSignOnProps {
  readonly stored: SignOn | undefined;
  readonly onClose: () => void;
}

/** The identity provider, and who gets which role. */
export function SetUpSignOn({ stored, onClose }: SetUpSignOnProps) {
  const client = useQueryClient();
  const who = useQuery(me);
  const listed = useInfiniteQuery(members(''));
  const owners = listed.data?.pages.flatMap((page) => page.members).filter(({ role }) => role === 'owner');
  const [fields, setFields] = useState({
    issuer: stored?.issuer ?? '',
    clientId: stored?.client_id ?? '',
    clientSecret: '',
    defaultRole: stored === undefined ? 'viewer' : (stored.default_role ?? ''),
    groupsClaim: stored?.groups_claim ?? '',
    groupRoles: groupRolesText(stored?.group_roles ?? []),
    isEnforced: stored?.enforced ?? false,
    breakGlass: stored?.break_glass ?? '',
  });
  const set = (changed: Partial<typeof fields>) => setFields({ ...fields, ...changed });
  const saving = useMutation({
    mutationFn: () =>
      told(
        api.PUT('/v1/organization/sign-on', {
          body: {
            issuer: fields.issuer.trim(),
            client_id: fields.clientId.trim(),
            ...(fields.clientSecret !== '' && { client_secret: fields.clientSecret }),
            groups_claim: fields.groupsClaim.trim() === '' ? null : fields.groupsClaim.trim(),
            group_roles: groupRolesIn(fields.groupRoles),
            default_role: fields.defaultRole === '' ? null : (fields.defaultRole as Role),
            enforced: fields.isEnforced,
            break_glass: fields.breakGlass === '' ? null : fields.breakGlass,
          },
        }),
      ),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['sign-on'] });
      onClose();
    },
  });
  const text = (name: 'issuer' | 'clientId' | 'groupsClaim') => ({
    value: fields[name],
    onChange: ({ target }: { readonly target: { readonly value: string } }) => set({ [name]: target.value }),
    autoComplete: 'off',
    spellCheck: false,
  });
  return (
    <FormDialog
      title={stored === undefined ? 'Set up single sign-on' : 'Change single sign-on'}
      action="Save"
      isIncomplete={fields.issuer.trim() === '' || fields.clientId.trim() === ''}
      saving={saving}
      onClose={onClose}
    >
      <Field label="Issuer" hint="As in the discovery document of your identity provider.">
        {(field) => (
          <Input {...field} {...text('issuer')} type="url" placeholder="https://login.example.com" />
        )}
      </Field>
      <Field label="Client id">{(field) => <Input {...field} {...text('clientId')} />}</Field>
      <Field
        label="Client secret"
        hint={
          stored?.has_secret === true ? 'Leave it empty to keep the stored one.' : 'It is never shown again.'
        }
      >
        {(field) => (
          <Input
            {...field}
            type="password"
            autoComplete="off"
            value={fields.clientSecret}
            onChange={({ target }) => set({ clientSecret: target.value })}
          />
        )}
      </Field>
      <Field label="Role of new members" hint="Of people in none of the groups below.">
        {(field) => (
          <Select
            {...field}
            value={fields.defaultRole}
            onChange={({ target }) => set({ defaultRole: target.value })}
          >
            <option value="">none: they are refused</option>
            {Object.keys(roleTexts).map((name) => (
              <option key={name}>{name}</option>
            ))}
          </Select>
        )}
      </Field>
      <Field label="Claim with groups" hint="Leave it empty if roles don’t follow groups.">
        {(field) => <Input {...field} {...text('groupsClaim')} placeholder="groups" />}
      </Field>
      <Field label="Roles of groups" hint="One in each line, such as: weir-admins = admin">
        {(field) => (
          <TextArea
            {...field}
            rows={3}
            spellCheck={false}
            value={fields.groupRoles}
            onChange={({ target }) => set({ groupRoles: target.value })}
          />
        )}
      </Field>
      <Field
        label="Owner for emergencies"
        hint="May log in with a password also where single sign-on is enforced."
      >
        {(field) => (
          <Select
            {...field}
            value={fields.breakGlass}
            onChange={({ target }) => set({ breakGlass: target.value })}
          >
            <option value="">nobody</option>
            {(owners ?? []).map(({ id, email }) => (
              <option key={id} value={id}>
                {id === who.data?.id ? `${email} (you)` : email}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <div className="flex items-center gap-3">
        <Switch
          label="Enforce single sign-on"
          isOn={fields.isEnforced}
          onChange={(isEnforced) => set({ isEnforced })}
        />
        <p className="text-sm">
          Enforce it: members with an address of your domains can’t log in with a password.
        </p>
      </div>
    </FormDialog>
  );
}
