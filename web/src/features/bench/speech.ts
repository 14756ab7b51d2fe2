/** Says a sentence aloud in place of what is being said; a browser without a voice stays silent. */
export function say(text: string): void {
  const voice = voiceOf();
  if (voice === null || text === '') return;
  voice.cancel();
  const utterance = new SpeechSynthesisUtterance(text);
  utterance.lang = 'en-US';
  voice.speak(utterance);
}

export function hush(): void {
  voiceOf()?.cancel();
}

export function canSpeak(): boolean {
  return voiceOf() !== null;
}

function voiceOf(): SpeechSynthesis | null {
  // The types say that it is always there; some browsers are built without it.
  return (window as Partial<Window>).speechSynthesis ?? null;
}
