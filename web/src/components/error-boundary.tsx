import { Component, type ErrorInfo, type ReactNode } from 'react';
import { forgetFailedLoad } from '@/components/lazy-component';
import { Notice } from '@/components/ui/notice';

type ErrorBoundaryProps = {
  what: string;
  /** Stands in where the usual notice has no room. */
  fallback?: ReactNode;
  /** Another value is another attempt, which the failure of an earlier one does not stand in the way of. */
  attempt?: number;
  children: ReactNode;
};
type ErrorBoundaryState = { failed: boolean; attempt: number | undefined };

/** Keeps a fault of one part of a screen from taking the rest with it. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, ErrorBoundaryState> {
  override state: ErrorBoundaryState = { failed: false, attempt: this.props.attempt };

  static getDerivedStateFromError(): Partial<ErrorBoundaryState> {
    return { failed: true };
  }

  static getDerivedStateFromProps(
    { attempt }: ErrorBoundaryProps,
    state: ErrorBoundaryState,
  ): ErrorBoundaryState | null {
    return attempt === state.attempt ? null : { failed: false, attempt };
  }

  override componentDidCatch(error: Error, info: ErrorInfo) {
    forgetFailedLoad(error);
    console.error(error, info.componentStack);
  }

  override render() {
    if (!this.state.failed) return this.props.children;
    if (this.props.fallback !== undefined) return this.props.fallback;
    return (
      <Notice
        tone="bad"
        title={`${this.props.what} could not be shown`}
        onRetry={() => this.setState({ failed: false })}
      >
        Try again. If that does not help, reload the page.
      </Notice>
    );
  }
}
