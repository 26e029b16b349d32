package io.edgeplug.system.rpc;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;

/**
 * Reads nothing from whoever does not read. HTTP/2 answers some frames, such as SETTINGS and PING, whatever the window is,
 * and gRPC keeps 10,000 of these answers for each connection. The text of a refusal is not bound by the window either.
 */
final class ReadWhileRead extends ChannelInboundHandlerAdapter {

    private ReadWhileRead() {}

    /**
     * Begins with a connection of which nothing was read yet.
     *
     * @param piece how many bytes are read at a time. 1,024 are a hundred empty frames, of which each may have an answer that
     *     takes 280 bytes of the heap until the other end reads it. The answers of 8 pieces may wait, by netty's count, which
     *     has some hundred bytes for each.
     */
    static void on(Channel connection, int piece) {
        connection.config().setRecvByteBufAllocator(new FixedRecvByteBufAllocator(piece));
        connection.config().setWriteBufferWaterMark(new WriteBufferWaterMark(4 * piece, 8 * piece));
        connection.pipeline().addFirst(new ReadWhileRead());
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        context.channel().config().setAutoRead(context.channel().isWritable());
        context.fireChannelWritabilityChanged();
    }
}
