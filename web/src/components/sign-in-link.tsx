import { useLocation } from 'react-router';
import { Button } from '@/components/ui/button';
import { signInHref } from '@/config/paths';
import { keepReturnPath } from '@/lib/return-path';

/** Leads a visitor to the server's sign-in, and from there back to this screen. */
export function SignInLink() {
  const { pathname, search } = useLocation();
  const returnTo = `${pathname}${search}`;
  return (
    <Button asChild look="primary">
      <a href={signInHref(returnTo)} onClick={() => keepReturnPath(null, returnTo)}>
        Sign In
      </a>
    </Button>
  );
}
