import { ArrowLeft } from 'lucide-react';
import { Link } from 'react-router';
import { Button } from '@/components/ui/button';
import { paths } from '@/config/paths';

type SubpageHeaderProps = { title: string };

/** The title of a page that the account page leads to, with the way back. */
export function SubpageHeader({ title }: SubpageHeaderProps) {
  return (
    <header className="grid justify-items-start gap-3">
      <Button asChild look="ghost" size="small" className="-ml-3">
        <Link to={paths.profile}>
          <ArrowLeft className="size-4" aria-hidden />
          Back to Profile
        </Link>
      </Button>
      <h1 className="page-title">{title}</h1>
    </header>
  );
}
