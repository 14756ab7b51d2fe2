import { Tabs } from 'radix-ui';
import { Logo } from '@/components/logo';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { SignInForm } from '@/features/auth/components/sign-in-form';
import { SignUpForm } from '@/features/auth/components/sign-up-form';

type SignInPanelProps = { onSignedIn: () => void };

const TAB_CLASS =
  'min-h-10 flex-1 rounded-md text-sm font-medium text-muted hover:text-ink data-[state=active]:bg-raised data-[state=active]:text-ink';

/** The signed-out account page: Google (when a server has it) and e-mail, in or up. */
export function SignInPanel({ onSignedIn }: SignInPanelProps) {
  return (
    <div className="mx-auto grid w-full max-w-md gap-6 py-4">
      <div className="grid justify-items-center gap-3 text-center">
        <Logo className="size-14" />
        <div>
          <h1 className="page-title">Your account</h1>
          <p className="mt-1 text-soft">Sign in to scan parts and keep your vehicles.</p>
        </div>
      </div>
      <Card>
        <Tabs.Root defaultValue="sign-in">
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
            <GoogleButton label="Sign in with Google" />
            <SignInForm onSignedIn={onSignedIn} />
          </Tabs.Content>
          <Tabs.Content value="sign-up">
            <GoogleButton label="Sign up with Google" />
            <SignUpForm onSignedUp={onSignedIn} />
          </Tabs.Content>
        </Tabs.Root>
      </Card>
    </div>
  );
}

type GoogleButtonProps = { label: string };

// A server without an identity provider cannot offer this; it says so where people would try.
function GoogleButton({ label }: GoogleButtonProps) {
  return (
    <div className="mb-5 border-b pb-5">
      <Button disabled aria-describedby="google-reason" className="w-full">
        {label}
      </Button>
      <p id="google-reason" className="mt-2 text-center text-xs text-muted">
        Google sign-in is not set up on this server. Use your e-mail address below.
      </p>
    </div>
  );
}
