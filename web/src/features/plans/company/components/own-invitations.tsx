import { useQuery } from '@tanstack/react-query';
import { InvitationCard } from '@/features/plans/company/components/invitation-card';
import { companyQueries } from '@/features/plans/company/queries';

/** The companies that ask whoever is signed in to join, mailed or not; nothing without any. */
export function OwnInvitations() {
  const invitations = useQuery(companyQueries.invitations());
  return invitations.data?.map((invitation) => (
    <InvitationCard
      key={invitation.id}
      invitation={invitation}
      name={{ id: invitation.id }}
      signedIn
      onDone={() => void invitations.refetch()}
    />
  ));
}
