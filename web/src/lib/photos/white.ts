/**
 * Makes a canvas white before a photograph is drawn on it. Behind transparent places the server puts white; without this
 * they would become black, as neither a JPEG nor the model knows transparency.
 */
export function whiten(
  context: CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D,
): void {
  context.fillStyle = 'white';
  context.fillRect(0, 0, context.canvas.width, context.canvas.height);
}
