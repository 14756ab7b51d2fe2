import { useQuery } from '@tanstack/react-query';
import { ArrowLeft } from 'lucide-react';
import { Link } from 'react-router';
import { Button } from '@/components/ui/button';
import { Spinner } from '@/components/ui/spinner';
import { paths } from '@/config/paths';
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
      <header className="grid justify-items-start gap-3">
        <Button asChild look="ghost" size="small" className="-ml-3">
          <Link to={paths.profile}>
            <ArrowLeft className="size-4" aria-hidden />
            Back to Profile
          </Link>
        </Button>
        <h1 className="page-title">Contact Support</h1>
      </header>
      {user.isPending ? <Spinner label="Loading..." /> : <ContactForm sender={sender} />}
      <OtherWays />
    </div>
  );
}
