import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useLocation, useNavigate, useSearchParams } from 'react-router';
import { AccountScreen } from '@/app/routes/profile/account-screen';
import { keepInvitation, takeInvitation } from '@/app/routes/profile/kept-invitation';
import { LoadFailure } from '@/components/load-failure';
import { Spinner } from '@/components/ui/spinner';
import { paths } from '@/config/paths';
import { ArrivalNotice } from '@/features/accounts/auth/components/arrival-notice';
import { ResetPasswordCard } from '@/features/accounts/auth/components/reset-password-card';
import { SignInPanel } from '@/features/accounts/auth/components/sign-in-panel';
import { VerifyEmailCard } from '@/features/accounts/auth/components/verify-email-card';
import { secretOf } from '@/features/accounts/auth/model';
import { authQueries } from '@/features/accounts/auth/queries';
import { useSignedOut } from '@/features/accounts/auth/use-signed-out';
import { InvitationNotice } from '@/features/plans/company/components/invitation-notice';
import { keptReturnPath, returnPathOf, takeReturnPath } from '@/lib/return-path';

/** The account page, signed out and in; links from mails and from the sign-in provider lead here. */
export function ProfileRoute() {
  const user = useQuery(authQueries.user());
  const navigate = useNavigate();
  const location = useLocation();
  const signedOut = useSignedOut();
  const [query, setQuery] = useSearchParams();
  const resetToken = secretOf(location.hash, 'reset-password');
  const verifyToken = secretOf(location.hash, 'verify-email');
  const invitation = secretOf(location.hash, 'invitation');
  const queryClient = useQueryClient();
  /** The screen on which the session of whoever signed in just now had ended. */
  const leftFrom = () => {
    const signedIn = queryClient.getQueryData(authQueries.user().queryKey);
    return signedIn == null ? null : takeReturnPath(signedIn.id);
  };
  const { search, hash } = location;
  // Whoever was invited and left for Google comes back without it.
  useEffect(() => {
    const kept = takeInvitation();
    if (kept === null || hash !== '') return;
    void navigate({ search, hash: `invitation=${encodeURIComponent(kept)}` }, { replace: true });
  }, [navigate, search, hash]);
  const clearHash = () => void navigate(paths.profile, { replace: true });

  if (user.isPending) return <Spinner label="Loading..." />;
  return (
    <div className="page grid grid-cols-1 gap-6">
      <title>Partsight - Account</title>
      <ArrivalNotice query={query} onDismiss={() => setQuery({}, { replace: true })} />
      {user.data == null && (resetToken !== null || user.isLoadingError) && (
        <h1 className="page-title text-center">Your account</h1>
      )}
      {resetToken !== null && (
        <ResetPasswordCard
          token={resetToken}
          onCancel={clearHash}
          onDone={(isSignedIn) => {
            if (!isSignedIn) signedOut();
            clearHash();
          }}
        />
      )}
      {verifyToken !== null && (
        <VerifyEmailCard
          token={verifyToken}
          onDone={(confirmed) =>
            void navigate(`${paths.profile}?verified=${confirmed ? 1 : 0}`, { replace: true })
          }
        />
      )}
      {user.isLoadingError && <LoadFailure what="Your account" query={user} />}
      {invitation !== null && user.data !== undefined && (
        <InvitationNotice token={invitation} signedIn={user.data !== null} onDone={clearHash} />
      )}
      {user.data === null && resetToken === null && (
        <SignInPanel
          {...(invitation === null
            ? { returnTo: returnPathOf(location.state) ?? keptReturnPath() ?? paths.home }
            : { returnTo: paths.profile, onLeave: () => keepInvitation(invitation) })}
          onSignedIn={() => {
            // Who was invited stays, to accept.
            if (invitation !== null) return;
            void navigate(returnPathOf(location.state) ?? leftFrom() ?? paths.home);
          }}
        />
      )}
      {user.data != null && <AccountScreen user={user.data} isAnswering={invitation !== null} />}
    </div>
  );
}
