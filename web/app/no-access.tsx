import { useQuery } from '@tanstack/react-query';
import { organization } from '../api/queries.ts';
import { Empty, Page } from '../parts/states.tsx';

/** In the place of a page that the role of the person can't use. */
export function NoAccess({ title }: { readonly title: string }) {
  const { data } = useQuery(organization);
  return (
    <Page title={title}>
      <Empty title={`Your role ${data?.role} can’t open this page.`}>
        {'Owners and admins of the organization give roles. '}
        <a href="/docs/reference/roles" className="text-accent underline">
          All roles and rights
        </a>
      </Empty>
    </Page>
  );
}
