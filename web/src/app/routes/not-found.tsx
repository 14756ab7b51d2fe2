import { Link } from 'react-router';
import { DeadEnd } from '@/components/pictures';
import { Button } from '@/components/ui/button';
import { paths } from '@/config/paths';

export function NotFoundRoute() {
  return (
    <PageNotFound status={404}>
      There is no page at this address. Check it, or start from the scanner.
    </PageNotFound>
  );
}

type PageNotFoundProps = { status?: number; children: string };

export function PageNotFound({ status, children }: PageNotFoundProps) {
  return (
    <div className="page grid max-w-xl justify-items-center gap-5 py-16 text-center">
      <title>Partsight - Page Not Found</title>
      <div className="text-muted [&_svg]:h-36 [&_svg]:max-w-full">
        <DeadEnd />
      </div>
      <div>
        {status !== undefined && <p className="mb-1 font-semibold text-accent">{status}</p>}
        <h1 className="page-title">Page Not Found</h1>
        <p className="mt-2 text-soft">{children}</p>
      </div>
      <Button asChild look="primary">
        <Link to={paths.home}>Go Home</Link>
      </Button>
    </div>
  );
}
