import { Link } from 'react-router';
import { Button } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import { paths } from '@/config/paths';

type InBusinessProps = { children: string };

/** Stands in for a tool that another plan does not have. */
export function InBusiness({ children }: InBusinessProps) {
  return (
    <Notice
      tone="info"
      title="Part of the Business plan"
      action={
        <Button asChild size="small">
          <Link to={paths.pricing}>See Plans</Link>
        </Button>
      }
    >
      {children}
    </Notice>
  );
}
