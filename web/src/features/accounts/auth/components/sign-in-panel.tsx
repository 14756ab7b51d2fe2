import { useQuery } from '@tanstack/react-query';
import { Tabs } from 'radix-ui';
import { useEffect, useState, type ReactNode } from 'react';
import { Link } from 'react-router';
import { settingsQuery } from '@/api/settings';
import { HelpLine } from '@/components/help-line';
import { Logo } from '@/components/logo';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { paths, signInHref } from '@/config/paths';
import { ForgotPasswordForm } from '@/features/accounts/auth/components/forgot-password-form';
import { SignInForm } from '@/features/accounts/auth/components/sign-in-form';
import { SignUpForm } from '@/features/accounts/auth/components/sign-up-form';
import { endedSession, type EndedSession } from '@/lib/ended-session';
import { useUnsavedWork } from '@/hooks/unsaved-work';
import { useOpener } from '@/hooks/use-opener';
import { leaveFor } from '@/hooks/use-sign-in-redirect';

type SignInPanelProps = {
  onSignedIn: () => void;
  /** Where Google leads back to. */
  returnTo?: string;
  /** Google takes the page away. */
  onLeave?: () => void;
};

const TAB_CLASS =
  'min-h-10 flex-1 rounded-md text-sm font-medium text-muted hover:text-ink data-[state=active]:bg-raised data-[state=active]:text-ink';

/** The signed-out account page: Google (when a server has it) and e-mail, in or up. */
export function SignInPanel({ onSignedIn, returnTo = paths.home, onLeave }: SignInPanelProps) {
  const [forgotten, setForgotten] = useState(false);
  const forgot = useOpener(forgotten);
  const [email, setEmail] = useState('');
  const [ended] = useState(endedSession);
  // A form that was given it knows of no change.
  useUnsavedWork(email !== '');
  const google = { href: signInHref(returnTo), onLeave };
  return (
    <div className="mx-auto grid w-full max-w-md gap-6 py-4">
      <div className="grid justify-items-center gap-3 text-center">
        <Logo className="size-14" />
        <div>
          <h1 className="page-title">Your account</h1>
          <p className="mt-1 text-soft">{reasonOf(ended)}</p>
        </div>
      </div>
      <Card>
        <Tabs.Root
          defaultValue="sign-in"
          // An address typed in one form is there in the next.
          onChange={({ target }) => {
            if (target instanceof HTMLInputElement && target.type === 'email')
              setEmail(target.value);
          }}
        >
          <Tabs.List
            aria-label="Sign in or sign up"
            className="mb-5 flex gap-1 rounded-md bg-canvas p-1"
          >
            <Tabs.Trigger value="sign-in" className={TAB_CLASS}>
              Sign In
            </Tabs.Trigger>
            <Tabs.Trigger value="sign-up" className={TAB_CLASS}>
              Sign Up
            </Tabs.Trigger>
          </Tabs.List>
          <Tabs.Content value="sign-in">
            {forgotten ? (
              <ForgotPasswordForm email={email} onBack={() => setForgotten(false)} />
            ) : (
              <>
                <GoogleButton label="Sign in with Google" {...google} />
                <SignInForm email={email} onSignedIn={onSignedIn} />
                <Button
                  ref={forgot}
                  look="ghost"
                  size="small"
                  className="mt-3 w-full"
                  onClick={() => setForgotten(true)}
                >
                  Forgot your password?
                </Button>
              </>
            )}
          </Tabs.Content>
          <Tabs.Content value="sign-up">
            <GoogleButton label="Sign up with Google" {...google} />
            <SignUpForm email={email} onSignedUp={onSignedIn} />
          </Tabs.Content>
        </Tabs.Root>
      </Card>
      <div className="grid justify-items-center gap-2">
        <Button asChild look="ghost" size="small">
          <Link to={paths.contact}>Contact Support</Link>
        </Button>
        <HelpLine />
        <p className="text-center text-xs text-muted">
          <Link to={paths.privacy} className="underline underline-offset-4">
            Privacy Policy
          </Link>
          {' and '}
          <Link to={paths.terms} className="underline underline-offset-4">
            Terms of Service
          </Link>
        </p>
      </div>
    </div>
  );
}

/** Why somebody should sign in. */
function reasonOf(ended: EndedSession | null): string {
  if (ended === null) return 'Sign in to scan parts and keep your vehicles.';
  return ended.hasDraft
    ? 'Your session has ended. Sign in again: what you typed is kept.'
    : 'Your session has ended. Sign in again.';
}

type GoogleButtonProps = { label: string; href: string; onLeave: (() => void) | undefined };

/** A server without an identity provider cannot offer this; it says so where people would try. */
function GoogleButton({ label, href, onLeave }: GoogleButtonProps) {
  const settings = useQuery(settingsQuery());
  const [leaving, setLeaving] = useState(false);
  useEffect(() => {
    // The way back may show the page as it was left.
    const shown = ({ persisted }: PageTransitionEvent) => {
      if (persisted) setLeaving(false);
    };
    window.addEventListener('pageshow', shown);
    return () => window.removeEventListener('pageshow', shown);
  }, []);
  if (settings.data?.externalSignIn === true) {
    return (
      <GoogleFrame>
        <Button asChild className="w-full">
          <a
            href={href}
            onClick={(event) => {
              // With a key held down it opens elsewhere, at once.
              if (event.metaKey || event.ctrlKey || event.shiftKey) return;
              event.preventDefault();
              if (leaving) return;
              setLeaving(true);
              onLeave?.();
              leaveFor(href);
            }}
          >
            {leaving ? 'Opening Google...' : label}
          </a>
        </Button>
      </GoogleFrame>
    );
  }
  return (
    <GoogleFrame>
      <Button disabled aria-describedby="google-reason" className="w-full">
        {label}
      </Button>
      <p id="google-reason" className="mt-2 min-h-4 text-center text-xs text-muted">
        {settings.isLoadingError &&
          'Google sign-in cannot be reached now. Use your e-mail address below.'}
        {settings.data !== undefined &&
          'Google sign-in is not set up on this server. Use your e-mail address below.'}
      </p>
    </GoogleFrame>
  );
}

type GoogleFrameProps = { children: ReactNode };

function GoogleFrame({ children }: GoogleFrameProps) {
  return <div className="mb-5 border-b pb-5">{children}</div>;
}
