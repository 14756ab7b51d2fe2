import { Logo } from '@/components/logo';
import { Button } from '@/components/ui/button';
import { serverPaths } from '@/config/paths';
import { useStaleStep } from '@/hooks/use-stale-step';

const STEPS = [
  ['Photograph', 'One part, with the camera or from your gallery.'],
  ['Know', 'Its name, how sure the answer is, and what else it could be.'],
  ['Fix', 'Where to buy it, what to watch, and how to fit it.'],
] as const;

export function WelcomeScreen() {
  useStaleStep();
  return (
    <div className="page grid max-w-3xl justify-items-center gap-10 pt-10 text-center sm:pt-16">
      <title>Partsight - Welcome</title>
      <div className="grid justify-items-center gap-5">
        <Logo className="size-20 sm:size-24" />
        <h1 className="text-3xl font-semibold tracking-tight text-balance sm:text-5xl">
          Welcome to Partsight
        </h1>
        <p className="max-w-md text-lg text-balance text-soft">
          Please sign in to access the car parts scanner
        </p>
        {/* The server decides where sign-in leads, so this leaves the app. */}
        <Button asChild look="primary" className="min-h-12 px-6 text-base">
          <a href={serverPaths.signIn}>Sign In to Continue</a>
        </Button>
      </div>
      <ol className="grid w-full gap-3 text-left sm:grid-cols-3">
        {STEPS.map(([title, text], position) => (
          <li key={title} className="rounded-lg border bg-surface p-4">
            <p className="text-sm font-semibold text-accent tabular-nums">{position + 1}</p>
            <p className="mt-1 font-semibold">{title}</p>
            <p className="mt-0.5 text-sm text-soft">{text}</p>
          </li>
        ))}
      </ol>
    </div>
  );
}
