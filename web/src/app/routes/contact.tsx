import { useQuery } from '@tanstack/react-query';
import { SubpageHeader } from '@/app/routes/profile/subpage-header';
import { Spinner } from '@/components/ui/spinner';
import { authQueries } from '@/features/accounts/auth/queries';
import { ContactForm } from '@/features/plans/contact/components/contact-form';
import { OtherWays } from '@/features/plans/contact/components/other-ways';

/** Also for visitors, and while the account cannot be read: that may be what they write about. */
export function ContactRoute() {
  const user = useQuery(authQueries.user());
  const sender = {
    name: `${user.data?.firstName ?? ''} ${user.data?.lastName ?? ''}`.trim(),
    email: user.data?.email ?? '',
  };
  return (
    <div className="page grid max-w-2xl gap-5">
      <title>Partsight - Contact Support</title>
      <SubpageHeader title="Contact Support" />
      {/* Not pending: a read that failed is, each time that it is tried again. */}
      {user.isFetched ? <ContactForm sender={sender} /> : <Spinner label="Loading..." />}
      <OtherWays />
    </div>
  );
}
