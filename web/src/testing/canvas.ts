/** A context that notes what is drawn on it: each area that is filled, and the picture. */
export function notingContext(width: number, height: number) {
  const drawn: string[] = [];
  const context = {
    canvas: { width, height },
    fillStyle: 'black',
    fillRect: (_: number, __: number, right: number, down: number) =>
      drawn.push(`${context.fillStyle} ${right} x ${down}`),
    drawImage: () => drawn.push('picture'),
  };
  return { context, drawn };
}
