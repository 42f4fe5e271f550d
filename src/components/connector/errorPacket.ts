/** Bytes of a message that clients show: their buffers for it hold 512 (MYSQL_ERRMSG_SIZE). */
const longest = 500

/**
 * The packet with which a MySQL or MariaDB server refuses a connection instead of greeting it: ERR_Packet with
 * sequence number 0, unless it answers something. It has no SQLSTATE, since no capabilities are agreed yet;
 * MariaDB 10.11 sends it so, too.
 */
export function errorPacket(number: number, message: string, sequence = 0): Buffer {
  const text = Buffer.from(message, 'utf8').subarray(0, longest)
  const packet = Buffer.alloc(7 + text.length)
  packet.writeUIntLE(3 + text.length, 0, 3)
  packet[3] = sequence
  packet[4] = 0xff
  packet.writeUInt16LE(number, 5)
  text.copy(packet, 7)
  return packet
}
