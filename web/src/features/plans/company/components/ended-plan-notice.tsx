import { Link } from 'react-router';
import { Button } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import { paths } from '@/config/paths';

type EndedPlanNoticeProps = {
  /** Whether the reader owns the company, and so can renew its plan. */
  owns: boolean;
};

/** Why a team has its own plans again, and what is left of the company. */
export function EndedPlanNotice({ owns }: EndedPlanNoticeProps) {
  return (
    <Notice
      tone="warn"
      title="The Business plan of this company has ended"
      action={
        owns && (
          <Button asChild size="small">
            <Link to={paths.pricing}>View Plans</Link>
          </Button>
        )
      }
    >
      Everybody in it is on their own plan, and nobody can be added, until{' '}
      {owns ? 'you renew it' : 'its owner renews it'}.
    </Notice>
  );
}
