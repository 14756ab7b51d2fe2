/** Why there is no picture, and whether the bench goes on by itself once that is over. */
export type CameraProblem = { title: string; advice: string; comesBack: boolean };

export const UNPLUGGED: CameraProblem = {
  title: 'The camera is gone',
  advice: 'Plug it in again. The bench goes on by itself; your list is kept.',
  comesBack: true,
};

const INSECURE: CameraProblem = {
  title: 'No camera on this page',
  advice:
    'The browser gives cameras only to pages opened over HTTPS or on this machine. Open Partsight under such an address.',
  comesBack: false,
};

/** What the browser's error names mean at a bench. */
export function cameraProblem(error: unknown): CameraProblem {
  switch (error instanceof Error ? error.name : '') {
    case 'InsecureContext':
      return INSECURE;
    case 'NotAllowedError':
      return {
        title: 'The camera is not allowed',
        advice:
          'Allow the camera for this site: the sign beside the address opens the choice. The bench then starts by itself.',
        comesBack: true,
      };
    case 'NotFoundError':
      return {
        title: 'No camera was found',
        advice: 'Plug one in. The bench then starts by itself.',
        comesBack: true,
      };
    case 'OverconstrainedError':
      return {
        title: 'The chosen camera is not there',
        advice: 'Plug it in again, or choose another one in the settings.',
        comesBack: true,
      };
    case 'NotReadableError':
    case 'AbortError':
      return {
        title: 'The camera is in use',
        advice: 'Close the other program that uses it. The bench then starts by itself.',
        comesBack: true,
      };
    default:
      return {
        title: 'The camera could not be started',
        advice: 'Unplug it and plug it in again.',
        comesBack: true,
      };
  }
}

/** Cameras on an insecure page: the browser hides them without an error of its own. */
export class InsecureContext extends Error {
  override readonly name = 'InsecureContext';
}
