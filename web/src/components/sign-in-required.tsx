import type { ReactNode } from 'react';
import { Link, useLocation } from 'react-router';
import { EmptyState } from '@/components/empty-state';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { paths } from '@/config/paths';
import type { ReturnState } from '@/lib/return-path';

type SignInRequiredProps = {
  picture: ReactNode;
  /** In place of the way to the account page. */
  action?: ReactNode;
  children: string;
};

/** Stands in for a screen that a visitor cannot use, and brings them back to it afterwards. */
export function SignInRequired({ picture, action, children }: SignInRequiredProps) {
  const { pathname, search } = useLocation();
  const state: ReturnState = { returnTo: `${pathname}${search}` };
  return (
    <Card>
      <EmptyState
        picture={picture}
        title="Sign In Required"
        action={
          action ?? (
            <Button asChild look="primary">
              <Link to={paths.profile} state={state}>
                Go to Sign In
              </Link>
            </Button>
          )
        }
      >
        {children}
      </EmptyState>
    </Card>
  );
}
