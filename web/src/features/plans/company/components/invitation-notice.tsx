import { useQuery } from '@tanstack/react-query';
import { ApiError } from '@/api/api-error';
import { QueryState } from '@/components/query-state';
import { Button } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import { InvitationCard } from '@/features/plans/company/components/invitation-card';
import { companyQueries } from '@/features/plans/company/queries';

type InvitationNoticeProps = {
  /** The secret of the mailed link. */
  token: string;
  signedIn: boolean;
  onDone: () => void;
};

/** A mailed invitation into a company, for somebody who followed its link. */
export function InvitationNotice({ token, signedIn, onDone }: InvitationNoticeProps) {
  const invitation = useQuery(companyQueries.invitation(token));
  const { error } = invitation;
  const isClosed = error instanceof ApiError && error.status === 422;
  if (invitation.data !== undefined && !isClosed) {
    return (
      <InvitationCard
        invitation={invitation.data}
        name={{ token }}
        signedIn={signedIn}
        onDone={onDone}
        onLater={onDone}
      />
    );
  }
  return (
    <div className="mx-auto w-full max-w-2xl">
      {isClosed ? (
        // Withdrawn, answered or too old: joining would only fail.
        <Notice
          tone="warn"
          title="Invitation not valid"
          action={
            <Button size="small" look="ghost" onClick={onDone}>
              Close
            </Button>
          }
        >
          {error.detail}
        </Notice>
      ) : (
        <QueryState
          query={invitation}
          what="The invitation"
          label="Loading the invitation"
          rowClassName="h-32"
        />
      )}
    </div>
  );
}
