import { Link } from '@tanstack/react-router';
import { Empty, Page } from '../parts/states.tsx';

export function NotFound() {
  return (
    <Page title="Not found">
      <Empty title="There is no page at this address.">
        <Link to="/" className="text-accent underline">
          Back to the overview
        </Link>
      </Empty>
    </Page>
  );
}
