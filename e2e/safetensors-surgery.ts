/** Changes the header of a safetensors file: how tests make model files that are wrong in one named way. */
import { readFileSync, writeFileSync } from 'node:fs';

type Header = Record<
  string,
  { dtype: string; shape: number[]; data_offsets: [number, number] } | Record<string, string>
>;

export function rewriteHeader(file: string, change: (header: Header) => void): void {
  const bytes = readFileSync(file);
  const length = Number(bytes.readBigUInt64LE(0));
  const header = JSON.parse(bytes.subarray(8, 8 + length).toString()) as Header;
  change(header);
  const text = Buffer.from(JSON.stringify(header));
  const padded = Buffer.concat([text, Buffer.alloc((8 - (text.length % 8)) % 8, ' ')]);
  const prefix = Buffer.alloc(8);
  prefix.writeBigUInt64LE(BigInt(padded.length));
  writeFileSync(file, Buffer.concat([prefix, padded, bytes.subarray(8 + length)]));
}

/** An F32 tensor of a file. */
export function readTensor(file: string, name: string): { shape: number[]; values: Float32Array } {
  const bytes = readFileSync(file);
  const length = Number(bytes.readBigUInt64LE(0));
  const header = JSON.parse(bytes.subarray(8, 8 + length).toString()) as Header;
  const tensor = header[name];
  if (!tensor || !('shape' in tensor) || typeof tensor.shape === 'string' || tensor.dtype !== 'F32')
    throw new Error(`${file} has no F32 tensor ${name}`);
  const [begin, end] = tensor.data_offsets as [number, number];
  const data = bytes.subarray(8 + length + begin, 8 + length + end);
  return { shape: tensor.shape, values: new Float32Array(Uint8Array.from(data).buffer) };
}
