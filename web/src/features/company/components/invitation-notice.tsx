import { useMutation, useQuery } from '@tanstack/react-query';
import { ApiError } from '@/api/api-error';
import { Button } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import { useToast } from '@/components/ui/use-toast';
import { companyMutations } from '@/features/company/mutations';
import { companyQueries } from '@/features/company/queries';
import { useFailureToast } from '@/hooks/use-failure-toast';
import { formatDate } from '@/lib/format';

type InvitationNoticeProps = {
  /** The secret of the mailed link. */
  token: string;
  signedIn: boolean;
  onDone: () => void;
};

/** A mailed invitation into a company, for somebody who followed its link. */
export function InvitationNotice({ token, signedIn, onDone }: InvitationNoticeProps) {
  const toast = useToast();
  const fail = useFailureToast();
  const { data: invitation, error } = useQuery(companyQueries.invitation(token));
  const accept = useMutation({
    ...companyMutations.acceptInvitation(),
    onSuccess: ({ name }) => {
      toast({ title: 'Welcome', description: `You are a member of ${name} now.` });
      onDone();
    },
    onError: (error) => {
      fail(error, 'Failed to accept the invitation');
    },
  });
  // Withdrawn, used or too old: joining would only fail.
  if (error instanceof ApiError && error.status === 422) {
    return (
      <div className="mx-auto w-full max-w-2xl">
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
      </div>
    );
  }
  return (
    <div className="mx-auto w-full max-w-2xl">
      <Notice
        tone="info"
        title={
          invitation
            ? `You are invited to join ${invitation.companyName}`
            : 'You are invited to join a company'
        }
        action={
          <div className="flex gap-2">
            {signedIn && (
              <Button
                size="small"
                look="primary"
                disabled={accept.isPending}
                onClick={() => {
                  accept.mutate(token);
                }}
              >
                {accept.isPending ? 'Joining...' : 'Join'}
              </Button>
            )}
            <Button size="small" look="ghost" onClick={onDone}>
              Not now
            </Button>
          </div>
        }
      >
        {invitation &&
          `As a ${invitation.role}, by ${formatDate(invitation.expiresAt)} at the latest. `}
        {signedIn
          ? 'Members have what the Business plan of the company includes. Your garage stays your own.'
          : 'Sign in or sign up first; then you can join.'}
      </Notice>
    </div>
  );
}
