import { Component, type ErrorInfo, type ReactNode } from 'react';
import { Button } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';

type ErrorBoundaryProps = {
  what: string;
  /** Stands in where the usual notice has no room. */
  fallback?: ReactNode;
  children: ReactNode;
};
type ErrorBoundaryState = { failed: boolean };

/** Keeps a fault of one part of a screen from taking the rest with it. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, ErrorBoundaryState> {
  override state: ErrorBoundaryState = { failed: false };

  static getDerivedStateFromError(): ErrorBoundaryState {
    return { failed: true };
  }

  override componentDidCatch(error: Error, info: ErrorInfo) {
    console.error(error, info.componentStack);
  }

  override render() {
    if (!this.state.failed) return this.props.children;
    if (this.props.fallback !== undefined) return this.props.fallback;
    return (
      <Notice
        tone="bad"
        title={`${this.props.what} could not be shown`}
        action={
          <Button
            size="small"
            onClick={() => {
              this.setState({ failed: false });
            }}
          >
            Try Again
          </Button>
        }
      >
        Try again. If it stays so, load the page anew.
      </Notice>
    );
  }
}
